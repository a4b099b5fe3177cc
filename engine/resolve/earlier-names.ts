/** Pass: adds renamed fields, relations and paths under their earlier names too, for clients of earlier versions. */
import type { Catalog, Earlier, EmbedEntry, Field, Relation, Resource } from '../catalog/catalog.ts'
import { LIST_PARAMETERS } from '../catalog/list-parameter.ts'
import { singular } from '../catalog/name.ts'
import type { RenameDefinition } from '../definition/definition.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { renameOf } from './document-part.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** Warnings about earlier names whose last day is over: they are answered until somebody takes them away. */
export function endedNames({ resources }: Catalog, today: string): readonly Diagnostic[] {
  return [...resources.values()].flatMap((resource) => {
    const { earlier, fields, relations, span } = resource
    const names = [...(earlier?.names ?? [])].map(([name, one]) => ({
      name,
      ...one,
      span: (fields.get(one.instead) ?? relations.get(one.instead))?.span,
    }))
    const own = earlier?.own === undefined ? [] : [{ name: resource.renamedFrom ?? '', ...earlier.own, span }]
    return [...own, ...names].flatMap(({ instead, name, span: place, until }): readonly Diagnostic[] => {
      if (place === undefined || until === undefined || until >= today) return []
      const message = `The earlier name "${name}" of "${instead}" was for clients until ${until}, and is answered still`
      const hint = 'take renamed_from away, or write a later day'
      return [{ code: 'wrong_option', message, span: place, hint, severity: 'warning' }]
    })
  })
}

/** An earlier name of a field or relation. */
interface Twin {
  readonly name: string
  readonly earlier: Earlier
}

/** By what has the later name. */
type Twins = Map<Field | Relation, Twin>

/** The last pass: nothing that judges a resource may take an earlier name for a field of its own. */
export function earlierNames(resolution: Resolution): void {
  const drafts = eachDraft(resolution)
  const isRenamed = drafts.some(({ written }) => {
    const all = [written.document, ...written.fields.values(), ...written.relations.values()]
    return all.some(({ value }) => value.renamed_from !== undefined)
  })
  if (!isRenamed) return
  const twins: Twins = new Map()
  for (const { written, draft } of drafts) {
    for (const [name, { value }] of written.fields) noteField(twins, draft, name, renameOf(value.renamed_from))
    for (const [name, { value }] of written.relations) noteRelation(twins, draft, name, renameOf(value.renamed_from))
  }
  for (const { draft } of drafts) {
    for (const relation of draft.relations.values())
      if (relation.embed !== undefined) relation.embed = widened(twins, relation.embed)
  }
  for (const { written, draft } of drafts) {
    const names = new Map(ownTwins(twins, draft).map(({ name, earlier }) => [name, earlier]))
    const keys = addTwins(twins, draft, names)
    for (const relation of draft.relations.values()) noteEmbedded(names, relation.name, relation.embed ?? [])
    addSpellings(resolution, twins, draft, names)
    const own = renameOf(written.document.value.renamed_from)
    const hasOwnPath = own !== undefined && written.document.value.path === undefined
    if (names.size === 0 && !hasOwnPath) continue
    draft.earlier = {
      path: hasOwnPath ? own.name.replaceAll('_', '-') : undefined,
      keys,
      names,
      own: own && earlierOf(own, draft.name),
    }
  }
}

function earlierOf({ since, until }: RenameDefinition, instead: string): Earlier {
  return { instead, since, until }
}

function noteField(twins: Twins, draft: Draft, name: string, before: RenameDefinition | undefined): void {
  const field = draft.fields.get(name)
  if (field === undefined || before === undefined || isTaken(draft, before.name)) return
  twins.set(field, { name: before.name, earlier: earlierOf(before, name) })
}

function isTaken(draft: Draft, name: string): boolean {
  return draft.fields.has(name) || draft.relations.has(name)
}

function noteRelation(twins: Twins, draft: Draft, name: string, before: RenameDefinition | undefined): void {
  const relation = draft.relations.get(name)
  if (relation === undefined || before === undefined || isTaken(draft, before.name)) return
  twins.set(relation, { name: before.name, earlier: earlierOf(before, name) })
  // With a column of its own too: whatever ends in _id takes the place of the earlier key, as it does in the database.
  if (relation.kind !== 'belongs_to' || !relation.field.name.endsWith('_id')) return
  noteField(twins, draft, relation.field.name, { ...before, name: `${before.name}_id` })
}

function ownTwins(twins: Twins, draft: Draft): readonly Twin[] {
  return [...draft.fields.values(), ...draft.relations.values()].flatMap((one) => twins.get(one) ?? [])
}

/** Embedded records under both names, where the YAML gave them no name of its own. */
function widened(twins: Twins, entries: readonly EmbedEntry[]): readonly EmbedEntry[] {
  return entries.flatMap((entry): readonly EmbedEntry[] => {
    const { name, value } = entry
    const meant = value.kind === 'embed' ? value.relation : value.path.field
    const twin = meant.name === name ? twins.get(meant) : undefined
    const wide: EmbedEntry =
      value.kind === 'embed' ? { ...entry, value: { ...value, entries: widened(twins, value.entries) } } : entry
    if (twin === undefined || entries.some((other) => other.name === twin.name)) return [wide]
    return [wide, { ...wide, name: twin.name, earlier: twin.earlier }]
  })
}

/** Notes the earlier names in embedded records by their paths: `user.first_name`. */
function noteEmbedded(names: Map<string, Earlier>, path: string, entries: readonly EmbedEntry[]): void {
  for (const { name, value, earlier } of entries) {
    if (earlier !== undefined) names.set(`${path}.${name}`, earlier)
    else if (value.kind === 'embed') noteEmbedded(names, `${path}.${name}`, value.entries)
  }
}

/** Adds the earlier fields and relations behind their present ones; returns the earlier keys of bodies with their present names. */
function addTwins(twins: Twins, draft: Draft, names: Map<string, Earlier>): ReadonlyMap<string, string> {
  const keys = new Map<string, string>()
  addBehind(draft.fields, (field) => {
    const twin = twins.get(field)
    if (twin === undefined) return undefined
    const { name, earlier } = twin
    keys.set(name, field.name)
    const relation = field.relation === undefined ? undefined : draft.relations.get(field.relation)
    const renamed = relation && twins.get(relation)?.name
    // It is required and filled under the later name.
    const { stored: _, backfill: __, backfillFrom: ___, ...rest } = field
    const bare = { required: false, default: undefined, unique: false, renamedFrom: undefined }
    return { ...rest, ...bare, name, earlier, relation: renamed }
  })
  addBehind(draft.relations, (relation) => {
    const twin = twins.get(relation)
    if (twin === undefined) return undefined
    const { name, earlier } = twin
    if (relation.kind !== 'many_to_many') return { ...relation, name, earlier }
    const writeAs = `${singular(name)}_ids`
    keys.set(writeAs, relation.writeAs)
    names.set(writeAs, { ...earlier, instead: relation.writeAs })
    return { ...relation, name, earlier, writeAs }
  })
  return keys
}

/** Puts what `added` makes of a value behind it, by its name. */
function addBehind<T extends { readonly name: string }>(
  values: Map<string, T>,
  added: (value: T) => T | undefined,
): void {
  const all = [...values].flatMap(([name, value]): (readonly [string, T])[] => {
    const more = added(value)
    return more === undefined
      ? [[name, value]]
      : [
          [name, value],
          [more.name, more],
        ]
  })
  values.clear()
  for (const [name, value] of all) values.set(name, value)
}

/** Every way to write a path with earlier names in it, the path itself first. */
function spellings(
  resolution: Resolution,
  twins: Twins,
  draft: Draft | undefined,
  [first = '', ...rest]: readonly string[],
): readonly (readonly [string, Earlier | undefined])[] {
  const relation = draft?.relations.get(first)
  const twin = [relation, draft?.fields.get(first)].flatMap((one) =>
    one === undefined ? [] : (twins.get(one) ?? []),
  )[0]
  const here: readonly (readonly [string, Earlier | undefined])[] = [
    [first, undefined],
    ...(twin === undefined ? [] : [[twin.name, twin.earlier] as const]),
  ]
  if (rest.length === 0) return here
  const below = spellings(resolution, twins, relation && resolution.drafts.get(relation.target), rest)
  return here.flatMap(([name, earlier]) =>
    below.map(([path, further]) => [`${name}.${path}`, earlier ?? further] as const),
  )
}

/** Lets parameters and sort keys be written by earlier names too. */
function addSpellings(resolution: Resolution, twins: Twins, draft: Draft, names: Map<string, Earlier>): void {
  const reserved = new Set([...LIST_PARAMETERS, ...draft.specials.keys()])
  const widenedMap = <T>(known: ReadonlyMap<string, T>): ReadonlyMap<string, T> => {
    const wide = new Map(known)
    for (const [name, value] of known) {
      for (const [path, earlier] of spellings(resolution, twins, draft, name.split('.'))) {
        if (earlier === undefined || wide.has(path) || reserved.has(path)) continue
        wide.set(path, value)
        names.set(path, { ...earlier, instead: name })
      }
    }
    return wide
  }
  draft.filters = widenedMap(draft.filters)
  draft.sort = { ...draft.sort, keys: widenedMap(draft.sort.keys) } as Resource['sort']
  if (draft.summary === undefined) return
  draft.summary = { by: widenedMap(draft.summary.by), of: widenedMap(draft.summary.of) }
}
