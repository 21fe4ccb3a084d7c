// Node strips the types of no file below a node_modules folder, and there lies a package that was installed. For our own
// files it is done here then; in a checkout nothing is.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url).href;

/** For the thread that calls it. */
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

/** Node says once that this is experimental. The Node is the one that the package brings along: nobody need be told. */
function hearWarning() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  module.stripTypeScriptTypes('');
  process.emitWarning = emitWarning;
}
