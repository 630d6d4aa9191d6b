'use strict';

// Sends the one form of the page, once somebody sees it: a browser that opens the page ahead of its reader, or a program
// that looks at the link, sends nothing. Without this script there is a button.
const form = document.querySelector('[data-enter]');
const enter = () => {
  if (!form || document.prerendering || document.visibilityState !== 'visible') return;
  document.removeEventListener('visibilitychange', enter);
  form.requestSubmit();
};
document.addEventListener('prerenderingchange', enter, { once: true });
document.addEventListener('visibilitychange', enter);
enter();
