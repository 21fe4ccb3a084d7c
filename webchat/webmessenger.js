/*
 * Embeds the chat in a site: a button, and a frame with the chat page. The frame has another origin, so neither side
 * can read the other; site.js lists the messages they exchange.
 *
 *   <script src="https://…/webmessenger.js" data-integration="6" data-identity="…" async></script>
 */
(() => {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  const { integration, identity, title = 'Chat' } = script.dataset;
  if (!integration || !/^\d+$/.test(integration)) {
    throw new Error(
      'webmessenger.js requires the attribute data-integration, the id of the integration',
    );
  }
  const page = new URL(`chat/${integration}`, script.src);
  page.hash = String(
    new URLSearchParams({ embed: location.origin, ...(identity && { identity }) }),
  );
  const storageKey = `switchboard-chat-${integration}-begun`;

  const STYLE = `
    :host { all: initial; color-scheme: light dark; --accent: #4a4fd8; --ring: #3b3fc2; --paper: #fff; }
    @media (prefers-color-scheme: dark) {
      :host { --accent: #5a60e6; --ring: #9a9fff; --paper: #15161b; }
    }
    .launcher {
      position: fixed; right: max(20px, env(safe-area-inset-right)); bottom: max(20px, env(safe-area-inset-bottom));
      z-index: 2147483000; display: grid; place-items: center; width: 58px; height: 58px; padding: 0; border: 0;
      border-radius: 50%; background: var(--accent); color: #fff; cursor: pointer;
      box-shadow: 0 6px 22px rgb(20 22 40 / 28%);
    }
    .launcher:focus-visible { outline: 3px solid var(--ring); outline-offset: 3px; }
    .launcher svg {
      width: 26px; height: 26px; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round;
      stroke-linejoin: round;
    }
    .badge {
      position: absolute; top: -3px; right: -3px; min-width: 22px; height: 22px; padding: 0 6px;
      box-sizing: border-box; border-radius: 11px; background: #c62828; color: #fff;
      font: 600 12px/22px system-ui, sans-serif; text-align: center;
    }
    [hidden] { display: none !important; }
    .panel {
      position: fixed; right: max(20px, env(safe-area-inset-right)); bottom: 92px; z-index: 2147483001;
      width: min(384px, calc(100vw - 40px)); height: min(640px, calc(100dvh - 116px)); border: 0; border-radius: 18px;
      background: var(--paper); box-shadow: 0 14px 50px rgb(20 22 40 / 30%); color-scheme: light dark;
    }
    @media (max-width: 480px) {
      .panel { inset: 0; width: 100%; height: 100dvh; border-radius: 0; }
      .panel:not([hidden]) ~ .launcher { display: none; }
    }
    @media (prefers-reduced-motion: no-preference) {
      .launcher { transition: transform 0.15s; }
      .launcher:hover { transform: scale(1.05); }
      .panel { animation: rise 0.18s ease-out; }
      @keyframes rise { from { opacity: 0; transform: translateY(12px); } }
    }`;
  const SHAPES = {
    open: 'M21 11.5a8.4 8.4 0 0 1-12.2 7.6L3 21l1.9-5.8A8.4 8.4 0 1 1 21 11.5z',
    close: 'M6 9l6 6 6-6',
  };

  const host = document.createElement('switchboard-chat');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const launcher = document.createElement('button');
  launcher.type = 'button';
  launcher.className = 'launcher';
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  icon.append(shape);
  const badge = document.createElement('span');
  badge.className = 'badge';
  badge.setAttribute('aria-hidden', 'true');
  launcher.append(icon, badge);
  root.append(launcher);

  /** @type {HTMLIFrameElement | undefined} */
  let panel;
  let isReady = false;
  let isOpen = false;
  let unread = 0;

  /** @param {boolean} shouldOpen */
  const toggle = (shouldOpen) => {
    isOpen = shouldOpen;
    const frame = shouldOpen ? load() : panel;
    if (frame) frame.hidden = !shouldOpen;
    notifyPanel();
    if (shouldOpen) frame?.focus();
    updateLauncher();
  };

  const updateLauncher = () => {
    const count = unread > 0 && !isOpen ? `, ${unread} unread` : '';
    launcher.setAttribute('aria-label', `${isOpen ? 'Close' : 'Open'} chat${count}`);
    launcher.setAttribute('aria-expanded', String(isOpen));
    badge.textContent = unread > 99 ? '99+' : String(unread);
    badge.hidden = count === '';
    shape.setAttribute('d', isOpen ? SHAPES.close : SHAPES.open);
  };

  /** Creates the frame on first use. */
  const load = () => {
    if (panel) return panel;
    panel = document.createElement('iframe');
    panel.className = 'panel';
    panel.title = title;
    panel.hidden = !isOpen;
    panel.src = page.href;
    root.prepend(panel);
    return panel;
  };

  const notifyPanel = () => {
    const message = { switchboard: isOpen ? 'open' : 'closed' };
    if (isReady) panel?.contentWindow?.postMessage(message, page.origin);
  };

  addEventListener('message', ({ source, origin, data }) => {
    if (!panel || source !== panel.contentWindow || origin !== page.origin) return;
    switch (data?.switchboard) {
      case 'ready':
        isReady = true;
        return notifyPanel();
      case 'close':
        if (isOpen) toggle(false);
        return launcher.focus();
      case 'unread':
        unread = Number(data.count) || 0;
        if (data.isBegun) remember();
        return updateLauncher();
    }
  });
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isOpen) toggle(false);
  });
  launcher.addEventListener('click', () => toggle(!isOpen));

  const remember = () => {
    try {
      localStorage.setItem(storageKey, '1');
    } catch {
      // Storage is blocked: the next page shows no count until the chat is opened.
    }
  };

  const start = () => {
    document.body.append(host);
    updateLauncher();
    // Visitors with a conversation see unread messages; for others nothing is loaded.
    try {
      if (identity || localStorage.getItem(storageKey)) load();
    } catch {
      // Storage is blocked.
    }
  };
  if (document.body) start();
  else addEventListener('DOMContentLoaded', start);
})();
