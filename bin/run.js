// node bin/run.js [options of node] FILE [arguments]: runs FILE on the Node.js that the project needs.
// Every script of package.json goes through here, so that none depends on the Node.js that runs npm.
import { runNode } from './node.js';

runNode(process.argv.slice(2));
