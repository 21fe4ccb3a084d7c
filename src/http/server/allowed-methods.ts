import type { Route } from './route.ts';

type RouteAddress = Pick<Route, 'method' | 'path'>;

/** A wildcard matches less specifically than any number of parameters. */
const WILDCARD_WEIGHT = 100;

/** Returns a function that lists the methods of a path: those of the most specific route, like the router. */
export function allowedMethods(routes: readonly RouteAddress[]): (path: string) => string[] {
  const table = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, own]) => ({
      pattern: patternOf(path),
      weight: wildcardWeight(path),
      methods: own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    }))
    .toSorted((a, b) => a.weight - b.weight);
  return (path) => table.find(({ pattern }) => pattern.test(path))?.methods ?? [];
}

/**
 * Methods that the router would dispatch to a parameter route although the path has its own route: `PUT
 * /1/users/me` is not `PUT /1/users/:id`.
 */
export function shadowedMethods(routes: readonly RouteAddress[]): RouteAddress[] {
  const allowed = allowedMethods(routes);
  const patterns = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  const exact = [...new Set(routes.map(({ path }) => path))].filter(
    (path) => !wildcardWeight(path),
  );
  return exact.flatMap((path) => {
    const methods = patterns
      .filter(({ pattern }) => pattern.test(path))
      .map(({ method }) => method);
    return [...new Set(methods)]
      .filter((method) => !allowed(path).includes(method))
      .map((method) => ({ method, path }));
  });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replace('*', '.*')}/?$`);
}

function wildcardWeight(path: string): number {
  const parameters = path.match(/:\w+/g)?.length ?? 0;
  return parameters + (path.includes('*') ? WILDCARD_WEIGHT : 0);
}
