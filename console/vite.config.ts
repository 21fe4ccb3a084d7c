import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    // Browsers that support light-dark(), which every color uses.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The content security policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few large files instead of dozens of small ones: fewer requests, and they compress better.
          groups: [
            { name: 'frame', tags: ['$initial'] },
            {
              name: 'ui',
              test: /\/console\/src\/ui\/(?!floating\/)|\/lucide-react\//,
              minShareCount: 4,
            },
          ],
        },
      },
    },
  },
  server: {
    // For `npm run dev:console`, with a service on its default port.
    proxy: Object.fromEntries(
      ['/1', '/console', '/chat', '/webmessenger', '/docs', '/openapi.json'].map((path) => [
        path,
        { target: 'http://127.0.0.1:8080', ws: true },
      ]),
    ),
  },
});
