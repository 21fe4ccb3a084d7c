const IS_INSTALLED = import.meta.url.includes('/node_modules/');

/** How a person runs this command line: a checkout has npm scripts, an installed package a binary. */
export const COMMAND = IS_INSTALLED ? 'npx switchboard' : 'npm run -s switchboard --';

/** How a person starts the service. */
export const START = IS_INSTALLED ? 'npx switchboard serve' : 'npm start';
