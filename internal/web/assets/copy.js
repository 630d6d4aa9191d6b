'use strict';

// A button beside a secret copies it. Without this script there is no button, and the secret is selected with one click.
for (const button of document.querySelectorAll('[data-copy]')) {
  const value = button.previousElementSibling;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(value.textContent);
      button.textContent = 'Copied';
    } catch {
      // The browser allows no copying here, as on a page without TLS: the next best is one keystroke away.
      getSelection().selectAllChildren(value);
      button.textContent = 'Selected: press Ctrl+C';
    }
  });
}
