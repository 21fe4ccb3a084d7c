// Node does not strip types from files below node_modules, where an installed package lives. This hook strips them from
// the files of this package. In a checkout it does nothing.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url).href;

/** Applies to the calling thread only. */
export function stripTypes() {
  if (!ROOT.includes('/node_modules/')) return;
  hearWarning();
  module.registerHooks({
    load(url, context, next) {
      if (!url.startsWith(ROOT) || !url.endsWith('.ts')) return next(url, context);
      const source = module.stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

/** Suppresses Node's warning that stripping is experimental: the package brings the Node.js it was tested with. */
function hearWarning() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  module.stripTypeScriptTypes('');
  process.emitWarning = emitWarning;
}
