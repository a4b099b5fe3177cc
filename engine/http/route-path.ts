/** Paths of routes: their parameters, the path from the root, and when two paths match the same requests. */
import type { Route } from './route.ts'

/** A path's parameter, `{id}`: always a whole segment. */
const PARAMETER = /^\{(\w+)\}$/

/** The name of the parameter that a segment is; undefined for a literal one. */
export function parameterIn(segment: string): string | undefined {
  return PARAMETER.exec(segment)?.[1]
}

/** The names of the parameters of a path, from the left. */
export function parametersIn(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => parameterIn(segment) ?? [])
}

/** The path from the root, `/api/v1/users/{id}`. */
export function pathFromRoot({ absolute, path }: Pick<Route, 'absolute' | 'path'>, prefix: string): string {
  return absolute === true ? path : prefix + path
}

/** A path without the names of its parameters, `/api/v1/users/{}`: equal for two paths that match the same requests. */
export function nameless(path: string): string {
  return path
    .split('/')
    .map((segment) => (parameterIn(segment) === undefined ? segment : '{}'))
    .join('/')
}
