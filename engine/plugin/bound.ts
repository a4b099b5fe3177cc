/** Contributions of one kind with their plugins, and the diagnostic for two with the same name. */
import type { JsonObject } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Plugin } from './plugin.ts'

/** A contribution with its plugin and the options of that. */
export interface Bound<T> {
  readonly plugin: string
  readonly options: JsonObject
  readonly value: T
}

/** Picks one kind of contribution from every plugin, in order. */
export type Binder = <T>(pick: (plugin: Plugin) => readonly T[]) => readonly Bound<T>[]

/** A contribution with its name. */
export interface Named<T> extends Bound<T> {
  readonly name: string
}

/** The named contributions of a kind. */
export function named<T>(bound: Binder, pick: (plugin: Plugin) => Readonly<Record<string, T>> | undefined) {
  const entries = bound((plugin) => Object.entries(pick(plugin) ?? {}))
  return entries.map(({ value: [name, value], ...rest }): Named<T> => ({ ...rest, name, value }))
}

/** Contributions by name. Of two with the same name the first counts, and a clash is reported. */
export function distinct<T>(
  kind: string,
  contributions: readonly Named<T>[],
  clashes: Diagnostic[],
): ReadonlyMap<string, Named<T>> {
  const found = new Map<string, Named<T>>()
  for (const contribution of contributions) {
    const { name, plugin } = contribution
    const earlier = found.get(name)
    if (earlier === undefined) found.set(name, contribution)
    else clashes.push(clash(kind, name, earlier.plugin, plugin))
  }
  return found
}

/** The diagnostic for two plugins with the same contribution; the name is empty for kinds without names. */
export function clash(kind: string, name: string, first: string, second: string): Diagnostic {
  const what = name === '' ? `"${kind}"` : `the ${kind} "${name}"`
  return {
    code: 'plugin_clash',
    message: `The plugins "${first}" and "${second}" both give ${what}`,
    hint: 'use one of the two',
  }
}
