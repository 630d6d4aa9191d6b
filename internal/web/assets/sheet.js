'use strict';

// Shows the drawing, and draws on it what the lists beside it say. Everything is loaded from this service.
(() => {
  const stage = document.getElementById('stage');
  if (!stage?.dataset.tiles || !window.OpenSeadragon) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const ratio = Number(stage.dataset.ratio);
  const { Point, Rect } = OpenSeadragon;

  // OpenSeadragon writes a style into the page that hides where the focus is, unless it finds one there; this is none, in no language that browsers know.
  const none = document.createElementNS('urn:none', 'style');
  none.setAttribute('data-openseadragon-mobile-css', '');
  document.head.append(none);
  const viewer = OpenSeadragon({
    element: stage, tileSources: stage.dataset.tiles, drawer: 'canvas', showNavigationControl: false,
    animationTime: calm ? 0 : 0.6, immediateRender: calm, blendTime: 0, visibilityRatio: 0.5, maxZoomPixelRatio: 4, minZoomImageRatio: 0.7,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true }, gestureSettingsTouch: { dblTapToZoom: true }, placeholderFillStyle: '#ffffff',
    clickTimeThreshold: 2000, // not every hand is quick
  });
  viewer.canvas.setAttribute('role', 'application');
  viewer.canvas.setAttribute('aria-label', `Drawing ${stage.dataset.name}. The arrow keys move it, plus and minus zoom, 0 shows all of it.`);
  // Keys that turn or mirror a drawing help nobody to read it.
  viewer.addHandler('canvas-key', e => { if (/^[rf]$/i.test(e.originalEvent.key)) e.preventDefaultAction = true; });

  const svg = (name, attributes = {}, ...inside) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...inside);
    return e;
  };
  const layer = svg('svg', { class: 'layer', 'aria-hidden': 'true' });
  const lines = svg('g'), found = svg('g'), marks = svg('g'), pins = svg('g');
  lines.append(found, marks);
  layer.append(lines, pins);
  viewer.canvas.append(layer);

  // Places are parts of the sheet; the viewer measures both ways in its width.
  const numbers = text => text.split(',').map(Number);
  const at = ([x, y]) => [x, y * ratio];
  const box = ([x0, y0, x1, y1], attributes) => svg('rect', { x: Math.min(x0, x1), y: Math.min(y0, y1) * ratio, width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) * ratio, ...attributes });
  const path = points => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x} ${y}`).join('');

  // A cloud is a rectangle whose sides are bows.
  const cloud = ([x0, y0], [x1, y1]) => {
    const [l, t, r, b] = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
    const corners = [[l, t], [r, t], [r, b], [l, b], [l, t]];
    const bow = Math.max((r - l + b - t) / 24, 1e-4);
    let d = `M${l} ${t}`;
    for (let i = 0; i < 4; i++) {
      const [from, to] = [corners[i], corners[i + 1]];
      const n = Math.max(1, Math.round(Math.hypot(to[0] - from[0], to[1] - from[1]) / bow));
      for (let k = 1; k <= n; k++) d += `A${bow / 1.7} ${bow / 1.7} 0 0 1 ${from[0] + (to[0] - from[0]) * k / n} ${from[1] + (to[1] - from[1]) * k / n}`;
    }
    return d;
  };

  // What keeps its size on the screen is moved with every change of the view.
  const fixed = [];
  const pin = (place, group, turn = 0) => { pins.append(group); fixed.push({ place, group, turn }); return group; };
  const dark = color => { const n = parseInt(color.slice(1), 16); return (n >> 16) * 0.299 + (n >> 8 & 255) * 0.587 + (n & 255) * 0.114 < 150; };

  const draw = item => {
    const { kind, color, stamp, text, points, issue } = item.dataset;
    const places = points.split(' ').map(p => at(numbers(p)));
    const [a, b] = places;
    const line = d => marks.appendChild(svg('path', { d, class: 'line', stroke: color }));
    const corners = b && [a[0], a[1] / ratio, b[0], b[1] / ratio];
    switch (kind) {
      case 'rectangle': return marks.appendChild(box(corners, { class: 'line', stroke: color }));
      case 'highlight': return marks.appendChild(box(corners, { class: 'wash', fill: color }));
      case 'ellipse': return marks.appendChild(svg('ellipse', { cx: (a[0] + b[0]) / 2, cy: (a[1] + b[1]) / 2, rx: Math.abs(b[0] - a[0]) / 2, ry: Math.abs(b[1] - a[1]) / 2, class: 'line', stroke: color }));
      case 'cloud': return line(cloud(a, b));
      case 'arrow':
        pin(b, svg('g', {}, svg('path', { d: 'M0 0L-14 -6L-14 6Z', fill: color })), Math.atan2(b[1] - a[1], b[0] - a[0]) * 180 / Math.PI);
        return line(path(places));
      case 'line': case 'pen': case 'measure': return line(path(places));
      case 'text': return pin(a, svg('g', {}, svg('text', { class: 'note', fill: color }, text)));
      default:
        return pin(a, svg('g', {}, svg('circle', { class: 'pin', r: 13, fill: color }), svg('text', { fill: dark(color) ? '#ffffff' : '#000000' }, stamp || issue || '•')));
    }
  };

  const around = places => {
    const xs = places.map(p => p[0]), ys = places.map(p => p[1]);
    return new Rect(Math.min(...xs), Math.min(...ys), Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  };
  const choose = (item, drawn) => {
    for (const old of document.querySelectorAll('.thing[aria-current]')) old.removeAttribute('aria-current');
    for (const old of layer.querySelectorAll('.chosen')) old.classList.remove('chosen');
    item?.setAttribute('aria-current', 'true');
    drawn?.classList.add('chosen');
  };
  // go shows a place with enough around it to know where it is, and so near that it can be read.
  const go = place => {
    const room = Math.max(Math.min(0.12, stage.clientWidth / 8000), place.width * 0.6, place.height * 0.6);
    const middle = place.getCenter();
    const [w, h] = [place.width + room, place.height + room];
    viewer.viewport.fitBounds(new Rect(middle.x - w / 2, middle.y - h / 2, w, h), calm);
    stage.scrollIntoView({ block: 'nearest' }); // on a phone the lists are below it
  };

  const targets = []; // what can be clicked on the drawing
  for (const item of document.querySelectorAll('.mark[data-points]:not([data-points=""])')) {
    const drawn = draw(item), place = around(item.dataset.points.split(' ').map(p => at(numbers(p))));
    const show = () => { choose(item, drawn); go(place); };
    item.querySelector('.find').addEventListener('click', show);
    targets.push({ place, near: 16, act: () => { choose(item, drawn); item.scrollIntoView({ block: 'nearest' }); } });
    if (location.hash === '#' + item.id) viewer.addOnceHandler('open', show);
  }
  for (const item of document.querySelectorAll('.reference')) {
    const link = item.querySelector('a').href;
    const places = item.dataset.places.split(' ').map(numbers);
    places.forEach(p => {
      marks.append(box(p, { class: 'callout' }));
      targets.push({ place: around([at(p), at(p.slice(2))]), near: 4, act: () => { location.href = link; } });
    });
    let next = 0;
    item.querySelector('.find').addEventListener('click', () => { const p = places[next++ % places.length]; choose(item); go(around([at(p), at(p.slice(2))])); });
  }
  const hits = [...document.querySelectorAll('.hit')].map(item => {
    const p = numbers(item.dataset.places), air = Math.min(p[2] - p[0], (p[3] - p[1]) * ratio) / 3;
    const drawn = found.appendChild(box([p[0] - air, p[1] - air / ratio, p[2] + air, p[3] + air / ratio], { class: 'found' }));
    const show = () => { choose(item, drawn); go(around([at(p), at(p.slice(2))])); };
    item.querySelector('.find').addEventListener('click', show);
    return show;
  });
  if (hits.length && !stage.dataset.at && !location.hash) viewer.addOnceHandler('open', hits[0]);
  if (stage.dataset.at) {
    const p = numbers(stage.dataset.at);
    found.append(box(p, { class: 'found' }));
    viewer.addOnceHandler('open', () => go(around([at(p), at(p.slice(2))])));
  }

  const hit = position => {
    const p = viewer.viewport.pointFromPixel(position, true), scale = viewer.viewport.getContainerSize().x * viewer.viewport.getZoom(true);
    return toggle.checked && targets.find(({ place, near }) => {
      const more = near / scale;
      return p.x >= place.x - more && p.y >= place.y - more && p.x <= place.x + place.width + more && p.y <= place.y + place.height + more;
    });
  };
  viewer.addHandler('canvas-click', e => { if (e.quick) (hit(e.position) || { act() {} }).act(); });
  stage.addEventListener('pointermove', e => {
    const edge = stage.getBoundingClientRect();
    stage.classList.toggle('over', e.pointerType === 'mouse' && viewer.isOpen() && Boolean(hit(new Point(e.clientX - edge.left, e.clientY - edge.top))));
  });

  const place = () => {
    const view = viewer.viewport, corner = view.pixelFromPoint(new Point(0, 0), true), scale = view.getContainerSize().x * view.getZoom(true);
    lines.setAttribute('transform', `translate(${corner.x} ${corner.y}) scale(${scale})`);
    for (const { place: [x, y], group, turn } of fixed) group.setAttribute('transform', `translate(${corner.x + x * scale} ${corner.y + y * scale}) rotate(${turn})`);
    stage.dataset.shown = `${corner.x},${corner.y},${scale}`;
  };
  viewer.addHandler('update-viewport', place);
  const settle = () => stage.setAttribute('aria-busy', String(!viewer.world.getItemAt(0)?.getFullyLoaded()));
  viewer.addHandler('open', () => {
    place();
    viewer.world.getItemAt(0).addHandler('fully-loaded-change', settle);
    settle();
  });
  // The address of the tiles ends when somebody leaves the project, and after a day or two. The page knows the new one: it is asked once for each address that ended.
  const asked = new Set();
  const renew = async () => {
    const old = stage.dataset.tiles;
    if (asked.has(old)) return false;
    asked.add(old);
    try {
      const answer = await fetch(location.href);
      const page = answer.ok && new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('stage');
      if (!page || !page.dataset.tiles || page.dataset.tiles === old) return false;
      const view = viewer.isOpen() && viewer.viewport.getBounds(true);
      stage.dataset.tiles = page.dataset.tiles;
      if (view) viewer.addOnceHandler('open', () => viewer.viewport.fitBounds(view, true));
      viewer.open(stage.dataset.tiles);
      return true;
    } catch {
      return false;
    }
  };
  viewer.addHandler('tile-load-failed', renew);
  viewer.addHandler('open-failed', async () => {
    if (await renew()) return;
    stage.setAttribute('aria-busy', 'false');
    stage.append(Object.assign(document.createElement('p'), { className: 'trouble', textContent: 'The drawing could not be loaded. Load the page again.' }));
  });

  const toggle = document.getElementById('marks');
  const veil = () => { for (const g of [marks, pins]) g.style.display = toggle.checked ? '' : 'none'; };
  toggle.addEventListener('change', veil);
  veil();
  document.getElementById('in').addEventListener('click', () => viewer.viewport.zoomBy(1.6).applyConstraints());
  document.getElementById('out').addEventListener('click', () => viewer.viewport.zoomBy(1 / 1.6).applyConstraints());
  document.getElementById('whole').addEventListener('click', () => viewer.viewport.goHome(calm));
  document.getElementById('tools').hidden = false;
  for (const button of document.querySelectorAll('.find')) button.hidden = false;
})();
