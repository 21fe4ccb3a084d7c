// node bin/run.js [node options] FILE [arguments]: runs FILE on the Node.js that the project needs.
// Every script of package.json uses it, so that none depends on the Node.js that runs npm.
import { runNode } from './node.js';

runNode(process.argv.slice(2));
