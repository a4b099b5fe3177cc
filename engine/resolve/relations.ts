/** Passes: belongs_to relations and their foreign keys, then what points back: has_many, and many_to_many. */

import type { Access, BelongsTo } from '../catalog/catalog.ts'
import { fieldLabel, singular } from '../catalog/name.ts'
import { typed } from '../catalog/stored.ts'
import type { Document, RelationDefinition } from '../definition/definition.ts'
import type { FieldType } from '../field/field-type.ts'
import { alternatives } from './access.ts'
import { renameOf, under } from './document-part.ts'
import { type IdTypeName, idOfOthers, REFERENCES } from './drafts.ts'
import { resolveField } from './fields.ts'
import { joiningTable } from './joining.ts'
import { isBroken } from './link-path.ts'
import {
  brokenNames,
  type Draft,
  type DraftBelongsTo,
  type DraftField,
  type DraftRelation,
  eachDraft,
  type Resolution,
  suggest,
  suggestResource,
  type Written,
} from './resolution.ts'

/** Every belongs_to becomes a relation and the field that is its foreign key, before the fields that plugins added. */
export function foreignKeys(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const added = [...written.added].flatMap((name) => draft.fields.get(name) ?? [])
    for (const field of added) draft.fields.delete(field.name)
    for (const [name, document] of written.relations) {
      const { value } = document
      const target = oneTarget(resolution, document)
      if (target === undefined || value.belongs_to === undefined) continue
      const field = foreignKey(resolution, draft, name, document)
      if (field === undefined) continue
      draft.relations.set(name, {
        kind: 'belongs_to',
        ...common(resolution, name, document, target),
        field,
        default: undefined,
        backfill: undefined,
        where: undefined,
        onDelete: value.on_delete ?? 'restrict',
      })
      draft.fields.set(field.name, field)
    }
    for (const field of added) draft.fields.set(field.name, field)
  }
}

/** The one resource a relation leads to; complaints when it names none, two, or one that does not exist. */
function oneTarget(resolution: Resolution, document: Document<RelationDefinition>): string | undefined {
  const { value, place } = document
  const kinds = (['belongs_to', 'has_many', 'many_to_many'] as const).filter((kind) => value[kind] !== undefined)
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    resolution.report(
      'wrong_relation',
      'A relation names one of belongs_to, has_many and many_to_many',
      place([], 'key'),
      {
        expected: ['belongs_to: …', 'has_many: …', 'many_to_many: …'],
      },
    )
    return undefined
  }
  const target = value[kind] ?? ''
  if (resolution.drafts.has(target)) return target
  if (!resolution.unusable.has(target) && !resolution.written.has(target)) {
    resolution.report(
      'unknown_resource',
      `Unknown resource "${target}"`,
      place([kind]),
      suggestResource(resolution, target),
    )
  }
  return undefined
}

function common(resolution: Resolution, name: string, document: Document<RelationDefinition>, target: string) {
  const { value, place } = document
  return {
    name,
    label: value.label ?? fieldLabel(name),
    description: value.description,
    target,
    show: value.show ?? 'always',
    embed: undefined,
    read: alternatives(resolution, { value: value.read, place: under(place, 'read') }),
    span: place([], 'key'),
  } as const
}

function foreignKey(resolution: Resolution, draft: Draft, name: string, document: Document<RelationDefinition>) {
  const { value, place } = document
  const column = value.column ?? `${name}_id`
  const clash = draft.fields.get(column)
  if (clash !== undefined) {
    const what = clash.relation === undefined ? 'a field' : `the foreign key of "${clash.relation}"`
    resolution.report(
      'name_clash',
      `The foreign key "${column}" of "${name}" is ${what} already`,
      place(value.column === undefined ? [] : ['column'], value.column === undefined ? 'key' : 'value'),
      {
        hint: 'a relation brings its own field: remove the other one, or name another column',
      },
    )
    return undefined
  }
  const earlier = renameOf(value.renamed_from)?.name
  const definition = {
    type: REFERENCES[keyTypeOf(resolution, value.belongs_to)],
    ...pick(value, ['label', 'description', 'required', 'read_only', 'immutable', 'read', 'write', 'searched']),
    label: value.label ?? fieldLabel(name),
    ...(earlier === undefined ? {} : { renamed_from: value.column === undefined ? `${earlier}_id` : earlier }),
  }
  const field = resolveField(resolution, column, { value: definition, place }, resolution.extensions.fieldTypes)
  if (field === undefined) return undefined
  field.relation = name
  const target = resolution.drafts.get(value.belongs_to ?? '')
  if (target?.existing === true) Object.assign(field, typed(referenceTo(field.type, target.key), field.options))
  // The key is short and useful in every answer, even where the embedded object is for single answers only.
  field.show = value.show === 'never' ? 'never' : 'always'
  return field
}

/** A reference to records of a table of others: what their ids are, it takes. */
function referenceTo(plain: FieldType, key: Pick<DraftField, 'options' | 'type'>): FieldType {
  const { options, type } = key
  return {
    ...plain,
    ...(type.name === 'string' ? { column: type.column } : {}),
    ...(type.verbatim === true ? { verbatim: true } : {}),
    schema: () => type.schema(options),
    decode: (value) => idOfOthers(key, value),
    parse: (text) => type.parse(text, options),
  }
}

function keyTypeOf({ drafts }: Resolution, target: string | undefined): IdTypeName {
  return (drafts.get(target ?? '')?.key.type.name ?? 'integer') as IdTypeName
}

function pick<T extends object, K extends keyof T>(value: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {}
  for (const key of keys) if (value[key] !== undefined) picked[key] = value[key]
  return picked
}

/** Every has_many finds the relations that lead back to it, every many_to_many its joining table. */
export function inverses(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    for (const [name, document] of written.relations) {
      const { value } = document
      if (value.belongs_to !== undefined) continue
      const targetName = oneTarget(resolution, document)
      const target = targetName === undefined ? undefined : resolution.drafts.get(targetName)
      if (target === undefined) continue
      const shared = {
        ...common(resolution, name, document, target.name),
        where: undefined,
        order: [],
        ordered: value.order !== undefined,
      }
      if (value.has_many !== undefined) {
        const by = wayBack(resolution, draft, target, document)
        const withParent = value.with_parent ?? false
        if (withParent && (by?.length !== 1 || value.first === true))
          resolution.report(
            'wrong_relation',
            `"${name}" cannot be written with its parent: ${value.first === true ? 'it is the first of several' : 'its records belong to another one'}`,
            document.place(['with_parent']),
          )
        if (by !== undefined)
          draft.relations.set(name, { kind: 'has_many', ...shared, by, first: value.first ?? false, withParent })
        continue
      }
      const write = alternatives(resolution, {
        value: value.write,
        place: under(document.place, 'write'),
      })
      draft.relations.set(name, {
        kind: 'many_to_many',
        ...shared,
        through: joiningTable(resolution, draft, target, value.through),
        ids: target.key.type.name,
        writeAs: `${singular(name)}_ids`,
        write,
      })
    }
    inWrittenOrder(draft, written)
  }
}

/** Puts relations into the order of the file, because several passes make them. */
function inWrittenOrder(draft: Draft, written: Written): void {
  const made = new Map(draft.relations)
  draft.relations.clear()
  for (const name of written.relations.keys()) {
    const relation = made.get(name)
    if (relation !== undefined) draft.relations.set(name, relation)
  }
}

function wayBack(
  resolution: Resolution,
  draft: Draft,
  target: Draft,
  document: Document<RelationDefinition>,
): readonly BelongsTo[] | undefined {
  const { through, by } = document.value
  // The schema lets only a many_to_many name columns.
  if (typeof through !== 'string') {
    const relation = pointer(resolution, draft, target, by, document)
    return relation === undefined ? undefined : [relation]
  }
  const first = target.relations.get(through)
  if (first === undefined && isBroken(resolution, target, through)) return undefined
  if (first?.kind !== 'belongs_to') {
    const known = belongsTo(target).map((relation) => relation.name)
    resolution.report(
      'unknown_field',
      `"${target.name}" has no belongs_to relation "${through}" to go through`,
      document.place(['through']),
      suggest(through, known),
    )
    return undefined
  }
  const middle = resolution.drafts.get(first.target)
  const second = middle === undefined ? undefined : pointer(resolution, draft, middle, by, document)
  return second === undefined ? undefined : [first, second]
}

/** The belongs_to of `from` that leads to the records of `draft`: the one named, or the only one there is. */
function pointer(
  resolution: Resolution,
  draft: Draft,
  from: Draft,
  by: string | undefined,
  document: Document<RelationDefinition>,
): DraftBelongsTo | undefined {
  const pointing = belongsTo(from).filter((relation) => resolution.drafts.get(relation.target)?.owner === draft.owner)
  const names = pointing.map((relation) => relation.name)
  if (by !== undefined) {
    const named = pointing.find((relation) => relation.name === by)
    if (named === undefined) {
      resolution.report(
        'missing_relation',
        `"${from.name}" has no relation "${by}" that belongs to "${draft.owner}"`,
        document.place(['by']),
        names.length > 0
          ? suggest(by, names)
          : { hint: `add it to "${from.name}": ${by}: { belongs_to: ${draft.owner} }` },
      )
    }
    return named
  }
  if (pointing.length === 1) return pointing[0]
  if (pointing.length > 1) {
    resolution.report(
      'ambiguous_relation',
      `Several relations of "${from.name}" belong to "${draft.owner}"`,
      document.place([], 'key'),
      {
        expected: names.map((name) => `by: ${name}`),
        hint: 'say which one with "by"',
      },
    )
  } else if (!pointsInVain(resolution, from, draft)) {
    resolution.report(
      'missing_relation',
      `No relation of "${from.name}" belongs to "${draft.owner}"`,
      document.place([], 'key'),
      {
        hint: `add a belongs_to: ${draft.owner} to "${from.name}"`,
      },
    )
  }
  return undefined
}

/** Whether the other resource has such a relation, with a mistake that is reported already. */
function pointsInVain(resolution: Resolution, from: Draft, draft: Draft): boolean {
  // What a resource takes from another one may be what cannot be used there.
  if ([from.name, from.owner].some((name) => brokenNames(resolution, name).length > 0)) return true
  const relations = resolution.written.get(from.name)?.relations.values() ?? []
  return [...relations].some(({ value }) => value.belongs_to === draft.name || value.belongs_to === draft.owner)
}

function belongsTo(draft: Draft): readonly DraftBelongsTo[] {
  return [...draft.relations.values()].filter((relation) => relation.kind === 'belongs_to')
}

/** Gives relations back to a record the `read` of those that lead there, and what is counted over a relation its own. */
export function otherSides(resolution: Resolution): void {
  const links = new Map<string, readonly Access[]>()
  for (const { draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values())
      if (relation.kind === 'many_to_many' && relation.read !== undefined)
        links.set(relation.through.table, relation.read)
  }
  for (const { written, draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values()) {
      if (relation.read !== undefined) continue
      const [read, ...others] = guardsOf(relation, links)
      relation.read = read
      if (others.length === 0) continue
      const place = written.relations.get(relation.name)?.place([], 'key') ?? relation.span
      const message = `"${relation.name}" goes over two relations that are not for everybody`
      resolution.report('wrong_relation', message, place, { hint: 'write "read" with it: who may read it' })
    }
    for (const field of draft.fields.values())
      if (field.count !== undefined) field.read ??= draft.relations.get(field.count)?.read
  }
}

function guardsOf(
  relation: DraftRelation,
  links: ReadonlyMap<string, readonly Access[]>,
): readonly (readonly Access[])[] {
  if (relation.kind === 'belongs_to') return []
  if (relation.kind === 'has_many') return relation.by.flatMap(({ read }) => (read === undefined ? [] : [read]))
  const read = links.get(relation.through.table)
  return read === undefined ? [] : [read]
}
