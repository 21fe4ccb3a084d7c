import type { ConsoleFiles } from '../pages/console-files.ts';
import { fileAnswer } from '../pages/static-files.ts';
import { unbuiltConsole } from '../pages/unbuilt.ts';
import { type Answer, type Call, type Route, notFound, openRoute } from '../server/route.ts';

const tag = 'Console';

/**
 * Only the console's own scripts run, and they talk to this service only. The web chat is shown in a frame.
 * Injected markup cannot run scripts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const YEAR_SECONDS = 365 * 24 * 60 * 60;

type AnyCall = Call<unknown, unknown>;

/** The console: one page for all its paths, and its files. */
export function consoleRoutes(files: ConsoleFiles): Route[] {
  const page = (path: string, operationId: string, summary: string): Route =>
    openRoute({
      method: 'GET',
      path,
      operationId,
      tag,
      summary,
      description: 'If the console is not built, the page explains how to build it.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      async handle(call) {
        const text = await files.page();
        const { headers, ...answer } =
          text === undefined ? unbuiltConsole(call.baseUrl()) : consolePage(text);
        return { ...answer, headers: { ...headers, ...hstsHeader(call) } };
      },
    });

  return [
    page('/', 'getConsole', 'Get the console'),
    page('/sign-in', 'getSignInPage', 'Get the page of a sign-in link'),
    page('/invitation', 'getInvitationPage', 'Get the page of an invitation'),
    page('/app', 'getConsoleHome', 'Get the console home page'),
    page('/app/*', 'getConsolePage', 'Get a console page'),
    openRoute({
      method: 'GET',
      path: '/assets/:file',
      operationId: 'getConsoleAsset',
      tag,
      summary: 'Get an asset of the console',
      success: {
        status: 200,
        description: 'A script, style sheet or font.',
        type: '*/*',
        headers: ['ETag'],
      },
      alternative: { status: 304, description: 'Not modified.' },
      problems: ['not_found'],
      async handle(call) {
        const file = await files.file(call.params['file'] ?? '');
        if (!file) throw notFound('the file');
        const { headers, ...answer } = fileAnswer(call, file);
        return { ...answer, headers: { ...headers, ...hstsHeader(call) } };
      },
    }),
  ];
}

const consolePage = (text: string): Answer => ({
  status: 200,
  text,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'cache-control': 'no-store',
  },
});

/** After a visit by HTTPS, browsers use nothing else. */
function hstsHeader(call: AnyCall): Record<string, string> {
  const isHttps = call.origin().protocol === 'https:' || call.baseUrl().startsWith('https:');
  return isHttps ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {};
}
