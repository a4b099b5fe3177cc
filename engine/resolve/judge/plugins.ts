/** Judges by plugins: their rules about the finished catalog, and what they find wrong with the values of their keys. */
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import { sentenceOf } from '../../error.ts'
import type { Diagnostic } from '../../text/diagnostic.ts'
import type { Place } from '../document-part.ts'
import type { BoundKey, RuleComplaint } from '../extensions.ts'
import { isWritten, type Resolution } from '../resolution.ts'

/** What the rules and keys of plugins complain about; a complaint about a key has its place in the file. */
export function judgedByPlugins(resolution: Resolution, catalog: Catalog): readonly Diagnostic[] {
  const fromRules = resolution.extensions.rules.flatMap(({ plugin, rule, options }) =>
    complaintsOf(plugin, () => rule(catalog, options)).map((complaint) => placed(resolution, plugin, complaint)),
  )
  return [...fromRules, ...keyChecks(resolution, catalog).flatMap(({ plugin, run }) => complaintsOf(plugin, run))]
}

function complaintsOf(plugin: string, rule: () => readonly RuleComplaint[]): readonly RuleComplaint[] {
  try {
    return rule()
  } catch (error) {
    const reason = sentenceOf(error)
    return [{ code: 'plugin_failed', message: `A rule of the plugin "${plugin}" failed: ${reason}` }]
  }
}

/** A complaint without a place gets that of the options which it is about, or the one at which app.yaml names the plugin. */
function placed(
  { definition: { app } }: Resolution,
  plugin: string,
  { at = [], part = at.length === 0 ? 'key' : 'value', ...complaint }: RuleComplaint,
): Diagnostic {
  const isPlaced = complaint.span !== undefined || !isWritten(app, ['plugins', plugin])
  return isPlaced ? complaint : { ...complaint, span: app.place(['plugins', plugin, ...at], part) }
}

/** The checks of every key that a plugin gives, as functions that may throw, with the plugin's name. */
function keyChecks(
  { extensions, written }: Resolution,
  catalog: Catalog,
): readonly { readonly plugin: string; readonly run: () => readonly Diagnostic[] }[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    Object.keys(resource.keys).flatMap((key) => {
      const check = extensions.keys.get(key)?.check
      const place = written.get(resource.name)?.document.place
      if (check === undefined || place === undefined) return []
      return [{ plugin: check.plugin, run: () => mistakes(check, catalog, resource, key, place) }]
    }),
  )
}

function mistakes(
  { plugin, run }: NonNullable<BoundKey['check']>,
  catalog: Catalog,
  resource: Resource,
  key: string,
  place: Place,
): readonly Diagnostic[] {
  return run(resource.keys[key] ?? null, catalog, resource).map(({ at = [], ...mistake }) => ({
    code: `${plugin}/wrong_${key}`,
    ...mistake,
    span: at.length === 0 ? place([key], 'key') : place([key, ...at]),
  }))
}
