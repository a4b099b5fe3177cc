/** Pass: every relation gets the object it shows in answers, as written or as derived. */

import type { EmbedEntry, Field } from '../catalog/catalog.ts'
import type { EmbedDefinition } from '../definition/definition.ts'
import { LIMITS } from '../limits.ts'
import { type Place, under } from './document-part.ts'
import { linkPath, relationOf } from './link-path.ts'
import { type Draft, type DraftRelation, eachDraft, type Resolution, suggest } from './resolution.ts'

interface Embedding {
  readonly resolution: Resolution
  /** Relations followed so far; the limit ends circles. */
  readonly depth: number
  readonly place: Place
}

/** Completes the embeds of all relations. */
export function embeds(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values()) {
      const document = written.relations.get(relation.name)
      if (document === undefined) continue
      const place: Place = under(document.place, 'embed')
      relation.embed = embedOf(relation, document.value.embed, { resolution, depth: 1, place })
    }
  }
}

function embedOf(
  relation: DraftRelation,
  written: EmbedDefinition | false | undefined,
  embedding: Embedding,
): readonly EmbedEntry[] | undefined {
  const target = embedding.resolution.drafts.get(relation.target)
  if (written === false || target === undefined) return undefined
  if (written !== undefined) return listed(target, written, embedding)
  return relation.kind === 'belongs_to' ? nameOf(target) : rowOf(target, relation, embedding)
}

/** What is embedded of a record by default: its id, and its name if it has one. */
function nameOf(target: Draft): readonly EmbedEntry[] {
  const name = target.fields.get('name')
  const fields =
    name === undefined || name.show === 'never' || name.read !== undefined ? [target.key] : [target.key, name]
  return fields.map(entry)
}

/** A record as its own list shows it, without the relation that leads back. */
function rowOf(target: Draft, relation: DraftRelation, embedding: Embedding): readonly EmbedEntry[] {
  const back = relation.kind === 'has_many' ? relation.by[0] : undefined
  const shown = [...target.fields.values()].filter(
    (field) =>
      (field.show === 'always' || field.show === 'list') && field.read === undefined && field.count === undefined,
  )
  if (embedding.depth >= LIMITS.pathDepth) return shown.map(entry)
  const objects = [...target.relations.values()].flatMap((inner): EmbedEntry[] => {
    if (
      inner.kind !== 'belongs_to' ||
      inner === back ||
      inner.show === 'single' ||
      inner.show === 'never' ||
      inner.show === 'asked' ||
      inner.read !== undefined
    )
      return []
    const written = embedding.resolution.written.get(target.name)?.relations.get(inner.name)
    const place: Place = under((written ?? { place: embedding.place }).place, 'embed')
    // The author did not ask for this depth, so reaching the limit is no mistake.
    const quiet: Resolution = { ...embedding.resolution, report: () => undefined }
    const entries = embedOf(inner, written?.value.embed, { resolution: quiet, depth: embedding.depth + 1, place })
    return entries === undefined ? [] : [{ name: inner.name, value: { kind: 'embed', relation: inner, entries } }]
  })
  return [...shown.map(entry), ...objects]
}

function entry(field: Field): EmbedEntry {
  return { name: field.name, value: { kind: 'field', path: { relations: [], field } } }
}

function listed(target: Draft, written: EmbedDefinition, embedding: Embedding): readonly EmbedEntry[] {
  return written.flatMap((item, index) => {
    if (typeof item === 'string') return one(target, item, item, [index], embedding) ?? []
    return Object.entries(item).flatMap(([alias, path]) => one(target, alias, path, [index, alias], embedding) ?? [])
  })
}

function one(
  target: Draft,
  name: string,
  path: string,
  at: readonly (string | number)[],
  embedding: Embedding,
): EmbedEntry | undefined {
  const { resolution, place } = embedding
  const span = place(at)
  const relation = relationOf(resolution, target, path)
  if (relation?.kind === 'belongs_to') return nested(target, name, relation, at, embedding)
  if (relation === undefined && name.includes('.')) {
    const alias = path.split('.').join('_')
    resolution.report('wrong_path', `"${path}" needs a name of its own in an embed`, span, {
      hint: `write { ${alias}: ${path} }`,
    })
    return undefined
  }
  const linked = linkPath(resolution, target, path.split('.'), span)
  if (linked === undefined) return undefined
  if (linked.field.type.hidden === true) {
    const known = [...target.fields.values()].filter((field) => field.type.hidden !== true)
    resolution.report(
      'unknown_field',
      `"${path}" never leaves the server`,
      span,
      suggest(
        path,
        known.map((field) => field.name),
      ),
    )
    return undefined
  }
  return { name, value: { kind: 'field', path: linked } }
}

function nested(
  target: Draft,
  name: string,
  relation: DraftRelation & { kind: 'belongs_to' },
  at: readonly (string | number)[],
  embedding: Embedding,
): EmbedEntry | undefined {
  const { resolution, depth } = embedding
  if (depth >= LIMITS.pathDepth) {
    resolution.report(
      'embed_too_deep',
      `"${relation.name}" is embedded more than ${LIMITS.pathDepth} records deep`,
      embedding.place(at),
      {
        hint: 'name fields instead: { alias: relation.field }',
      },
    )
    return undefined
  }
  const owner = resolution.written.get(target.name)?.relations.has(relation.name) ? target.name : target.owner
  const document = resolution.written.get(owner)?.relations.get(relation.name)
  if (document === undefined) return undefined
  // Mistakes inside the other resource's embed are reported there; only the depth is this one's mistake.
  const complaining: Resolution = { ...resolution, report: onlyDepth(resolution, embedding.place, at) }
  const inner: Embedding = {
    resolution: complaining,
    depth: depth + 1,
    place: under(document.place, 'embed'),
  }
  const entries = embedOf(relation, document.value.embed, inner)
  return entries === undefined ? undefined : { name, value: { kind: 'embed', relation, entries } }
}

function onlyDepth(resolution: Resolution, place: Place, at: readonly (string | number)[]): Resolution['report'] {
  return (code, message, _span, details) => {
    if (code === 'embed_too_deep') resolution.report(code, message, place(at), details)
  }
}
