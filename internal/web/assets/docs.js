'use strict';

// Draws the reference from this service's OpenAPI document. Nothing is sent to, or read from, any other place.
(async () => {
  const version = 'application/vnd.groundwork+json; version=1';
  const root = document.documentElement;
  const place = document.getElementById('reference');
  const loading = document.getElementById('loading');
  const filter = document.getElementById('filter');
  const families = document.getElementById('families');

  // Swagger UI has a dark form, but does not ask for the reader's preference.
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => root.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', paint);
  paint();

  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // ask never lets the browser answer a 401 with its own dialogue.
  const ask = (path, headers) => fetch(path, { headers: { accept: version, ...headers }, credentials: 'omit' });

  let spec;
  try {
    const response = await ask('/openapi.json');
    if (!response.ok) {
      throw new Error(`status ${response.status}`);
    }
    spec = await response.json();
  } catch (error) {
    place.setAttribute('aria-busy', 'false');
    loading.textContent = `The description of the API cannot be read right now (${error.message}). Reload the page to try again.`;
    return;
  }
  // The reader's own way to the service is the one that works, and the only one that the page may use.
  spec.servers = [{ url: location.origin }];

  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
  const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    methods.filter((m) => item[m]).map((method) => ({ path, method, ...item[method] })));

  // What the document says in extensions of its own, in words.
  const reach = { any: 'any record', own: 'own records', no: 'nothing' };
  for (const { path, method, ...o } of operations) {
    const rights = o['x-rights'];
    spec.paths[path][method].description = [
      o.description,
      rights && (Object.values(rights).every((r) => r === 'any')
        ? 'Every member of the project reaches any record.'
        : `An Admin of the project reaches ${reach[rights.admin]}, a Power Collaborator ${reach[rights.power_collaborator]}, a Collaborator ${reach[rights.collaborator]}.`),
      o['x-extension'] && 'The original API did not have this.',
    ].filter(Boolean).join(' ');
  }

  const matching = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (o) => {
      const about = `${o.method} ${o.path} ${o.summary} ${(o.tags || []).join(' ')}`.toLowerCase();
      return words.every((word) => about.includes(word));
    };
  };

  const plugin = ({ React }) => ({
    components: {
      // Only the operations and schemas: everything around them is this page's own.
      Reference: ({ getComponent }) => React.createElement('div', { className: 'swagger-ui' },
        ...[['SvgAssets'], ['operations', true], ['Models', true]].map(([name, container]) =>
          React.createElement(getComponent(name, container), { key: name }))),
      // All of them, always: Swagger UI's own list leaves out of a long document what is not in view, and then neither a search in the page nor a link finds it.
      operations: ({ specSelectors, layoutSelectors, layoutActions, oas3Selectors, getComponent, getConfigs }) => {
        const Family = getComponent('OperationTag');
        const Operation = getComponent('OperationContainer', true);
        const shared = { layoutSelectors, layoutActions, oas3Selectors, getComponent, getConfigs, specUrl: specSelectors.url() };
        return React.createElement('div', null, specSelectors.taggedOperations().map((family, tag) =>
          React.createElement(Family, { key: tag, tagObj: family, tag, ...shared },
            React.createElement('div', { className: 'operation-tag-content' }, family.get('operations').map((op) =>
              React.createElement(Operation, { key: `${op.get('method')} ${op.get('path')}`, specPath: op.get('specPath'), op, path: op.get('path'), method: op.get('method'), tag }))
              .toArray()))).valueSeq().toArray());
      },
      authorizeOperationBtn: () => null,
      // A link inside the button that opens an operation would be two controls in one place.
      DeepLink: ({ text }) => React.createElement('span', null, text),
    },
    fn: {
      opsFilter: (tagged, text) => {
        const matches = matching(text);
        return tagged
          .map((family) => family.update('operations', (list) => list.filter((o) =>
            matches({ path: o.get('path'), method: o.get('method'), ...o.get('operation').toJS() }))))
          .filter((family) => family.get('operations').size > 0);
      },
    },
  });

  const ui = SwaggerUIBundle({
    spec,
    domNode: place,
    layout: 'Reference',
    plugins: [plugin],
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 2,
    displayRequestDuration: true,
    validatorUrl: null,
    requestInterceptor: (request) => {
      request.credentials = 'omit';
      if (['*/*', 'application/json'].includes(request.headers.accept)) {
        request.headers.accept = version;
      }
      return request;
    },
    onComplete: () => place.setAttribute('aria-busy', 'false'),
  });

  // Some of its fields and regions have no name, and some of its scrolling boxes cannot be reached with the keyboard.
  const name = () => {
    for (const field of place.querySelectorAll(':is(input, select, textarea):not([aria-label]):not([id])')) {
      const parameter = field.closest('[data-param-name]')?.dataset.paramName;
      field.setAttribute('aria-label', parameter || (field.matches('.body-param__text') ? 'Request body' : 'Media type'));
    }
    for (const region of place.querySelectorAll('.opblock [role=region]:not([aria-label])')) {
      const block = region.closest('.opblock');
      region.setAttribute('aria-label', `Responses of ${['method', 'path'].map((part) => block.querySelector(`.opblock-summary-${part}`).textContent).join(' ')}`);
    }
    for (const box of place.querySelectorAll('pre:not([tabindex])')) {
      box.tabIndex = 0;
    }
  };
  new MutationObserver(name).observe(place, { childList: true, subtree: true });

  // The list of families leads to them, and says how many operations the filter leaves of each.
  const show = () => {
    const found = operations.filter(matching(filter.value));
    const counts = new Map();
    for (const o of found) {
      counts.set(o.tags[0], (counts.get(o.tags[0]) || 0) + 1);
    }
    families.replaceChildren(...[...counts].sort(([a], [b]) => a.localeCompare(b)).map(([tag, count]) =>
      make('li', {}, make('a', { href: `#/${encodeURIComponent(tag)}`, onclick: (event) => lead(event, tag) },
        make('span', { textContent: tag }), make('span', { className: 'count', textContent: count })))));
    if (found.length === 0) {
      families.replaceChildren(make('li', { className: 'quiet', textContent: 'Nothing has these words.' }));
    }
    ui.layoutActions.updateFilter(filter.value.trim() || false);
  };
  const lead = (event, tag) => {
    const heading = document.querySelector(`.opblock-tag[data-tag="${CSS.escape(tag)}"]`);
    if (!heading) {
      return;
    }
    event.preventDefault();
    history.replaceState(null, '', event.currentTarget.getAttribute('href'));
    ui.layoutActions.show(['operations-tag', tag], true);
    heading.scrollIntoView();
    heading.querySelector('button')?.focus({ preventScroll: true });
  };
  filter.addEventListener('input', show);
  filter.disabled = false;
  show();

  const form = document.getElementById('key-form');
  const state = document.getElementById('key-state');
  const say = (kind, text) => {
    state.className = `state ${kind}`;
    state.textContent = text;
  };
  let authorized = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const key = document.getElementById('key').value.trim();
    if (authorized) {
      ui.authActions.logout(['basic']);
      authorized = false;
    }
    if (!/^[!-~]+$/.test(key)) {
      say('bad', 'That is no key: keys have neither spaces nor special characters.');
      return;
    }
    say('', 'Asking who this key belongs to …');
    try {
      const response = await ask('/me', { authorization: `Basic ${btoa(`${key}:`)}` });
      const answer = await response.json();
      if (!response.ok) {
        say('bad', answer.message);
        return;
      }
      ui.preauthorizeBasic('basic', key, '');
      authorized = true;
      say('good', `This is the key of ${[answer.first_name, answer.last_name].filter(Boolean).join(' ') || answer.email}. “Try it out” uses it now.`);
    } catch {
      say('bad', 'The service does not answer. Try again.');
    }
  });
})();
