/** SQL that finds earlier names in a column and replaces them. */
import type { Catalog, Field, FieldPath, Resource } from '../../catalog/catalog.ts'
import { policyPaths } from '../../catalog/policy-paths.ts'
import { targetOf } from '../../catalog/stored.ts'
import { quoted as q } from '../../filter/sql.ts'
import { quoteText as text } from '../sql-name.ts'
import { type NameChange, type Renamed, renamedPermissions } from './name-change.ts'
import type { NameColumn } from './name-columns.ts'

/** Which rows hold an earlier name, and the column as it is to be, over the columns of the row. */
export interface Carry {
  readonly where: string
  readonly value: string
}

/** The same for one text, given as SQL. */
interface Word {
  readonly is: (text: string) => string
  readonly becomes: (text: string) => string
}

/** The catalog, and all that has another name in it. */
export interface Renames {
  readonly catalog: Catalog
  readonly changes: readonly NameChange[]
}

/** The updates of a column for one rename; none where it holds no such names. */
export function carriesOf(
  renaming: Renames,
  change: NameChange,
  { column, form, holds }: NameColumn,
): readonly Carry[] {
  const { catalog } = renaming
  const at = q(column)
  if (change.kind === 'resource') {
    if (holds === 'resource' && form === 'map') return inMap(at, named(change))
    if (holds === 'rights') return rights(at, permissions(catalog, change))
    const word = wordOf(catalog, change, holds)
    return word === undefined ? [] : [form === 'list' ? inList(at, word) : inText(at, word)]
  }
  if (change.kind !== 'field') return []
  if (holds === 'changed') return [changed(renaming, at, change)]
  if (holds === 'kept') return kept(renaming, at, change)
  return holds === 'chosen' ? [chosen(renaming, at, change)] : []
}

type Part = Exclude<NameChange, Renamed>

function wordOf(catalog: Catalog, change: Renamed, holds: NameColumn['holds']): Word | undefined {
  switch (holds) {
    case 'resource':
      return named(change)
    case 'event':
    case 'automation':
      return headed('', change)
    case 'listener':
      return headed('automation:', change)
    case 'permission':
      return permissions(catalog, change)
    default:
      return undefined
  }
}

function named({ from, to }: Renamed): Word {
  return { is: (value) => `${value} = ${text(from)}`, becomes: () => `${text(to)}::text` }
}

/** `posts.create`, `automation:posts.remind`. */
function headed(before: string, { from, to }: Renamed): Word {
  const head = `${before}${from}.`
  return {
    is: (value) => `starts_with(${value}, ${text(head)})`,
    becomes: (value) => `${text(`${before}${to}.`)} || substr(${value}, ${[...head].length + 1})`,
  }
}

/** The permissions that are asked for under the later name alone; undefined where there are none. */
function permissions(catalog: Catalog, change: Renamed): Word | undefined {
  const pairs = renamedPermissions(catalog, change)
  if (pairs.length === 0) return undefined
  const cases = pairs.map(([was, now]) => `when ${text(was)} then ${text(now)}`).join(' ')
  return {
    is: (value) => `${value} in (${pairs.map(([was]) => text(was)).join(', ')})`,
    becomes: (value) => `case ${value} ${cases} else ${value} end`,
  }
}

function inText(at: string, word: Word): Carry {
  return { where: word.is(at), value: word.becomes(at) }
}

/** A list of texts in JSON: each once, in its order. */
function inList(at: string, { becomes, is }: Word): Carry {
  const each = (more: string) =>
    `(select e #>> '{}' as x, o from jsonb_path_query(${at}, '$[*]') with ordinality as l(e, o)) m${more}`
  const one = `case when ${is('x')} then ${becomes('x')} else x end`
  const value = `(select jsonb_agg(d.x order by d.o) from (select ${one} as x, min(o) as o from ${each('')} group by 1) d)`
  return { where: `exists (select 1 from ${each(` where ${is('x')}`)})`, value }
}

/** JSON that names a resource by `resource`, and several by `resources`. */
function inMap(at: string, word: Word): readonly Carry[] {
  const value = `${at} ->> 'resource'`
  const several = inList(`(${at} -> 'resources')`, word)
  return [
    { where: word.is(value), value: `jsonb_set(${at}, '{resource}', to_jsonb(${word.becomes(value)}))` },
    { where: several.where, value: `jsonb_set(${at}, '{resources}', ${several.value})` },
  ]
}

function rights(at: string, word: Word | undefined): readonly Carry[] {
  if (word === undefined) return []
  const { value, where } = inList(`(${at} -> 'permissions')`, word)
  return [{ where, value: `jsonb_set(${at}, '{permissions}', ${value})` }]
}

/** The texts under which rows may name a resource: its name, and those of before. */
function calledOf({ changes }: Renames, name: string): string {
  const before = changes.flatMap((one) => (one.kind === 'resource' && one.to === name ? [one.from] : []))
  return [name, ...before].map(text).join(', ')
}

/** `[{ "field": "title", "from": …, "to": … }]` of the records of a resource. */
function changed(renaming: Renames, at: string, { from, resource, to }: Part): Carry {
  const holds = text(JSON.stringify([{ field: from }]))
  const one = `case when e ->> 'field' = ${text(from)} then jsonb_set(e, '{field}', ${text(JSON.stringify(to))}) else e end`
  return {
    where: `resource in (${calledOf(renaming, resource)}) and ${at} @> ${holds}`,
    value: `(select jsonb_agg(${one} order by o) from jsonb_array_elements(${at}) with ordinality as l(e, o))`,
  }
}

/** Values that policies compare, kept by paths of columns: the paths through the column of the field. */
function kept(renaming: Renames, at: string, change: Part): readonly Carry[] {
  const { resources } = renaming.catalog
  const owners = [...resources.values()].filter(({ name, owner }) => owner === name)
  return owners.flatMap((owner) =>
    [...policyPaths(renaming.catalog, owner)].flatMap(([now, path]) =>
      keptBefore(renaming, owner, path, change).map((was) => renamedKey(at, calledOf(renaming, owner.name), was, now)),
    ),
  )
}

/** The names under which a path was kept while the field of a change had its earlier one. */
function keptBefore(renaming: Renames, owner: Resource, path: FieldPath, change: Part): readonly string[] {
  const fields = [...path.relations.map(({ field }) => field), path.field]
  const on = [owner.name, ...path.relations.map((relation) => targetOf(renaming.catalog, relation).owner)]
  const isOf = (one: NameChange, i: number) =>
    one.kind === 'field' && one.resource === on[i] && one.to === fields[i]?.name
  if (!fields.some((_, i) => isOf(change, i))) return []
  return fields.reduce<readonly string[]>(
    (heads, field, i) => {
      const earlier = renaming.changes.filter((one) => isOf(one, i)).flatMap(({ from }) => columnsBefore(field, from))
      const columns = isOf(change, i) ? columnsBefore(field, change.from) : [field.column, ...earlier]
      return heads.flatMap((head) => columns.map((column) => (i === 0 ? column : `${head}.${column}`)))
    },
    [''],
  )
}

/** The columns that a field may have had before, as a migration looks for them. */
function columnsBefore({ column }: Field, from: string): readonly string[] {
  return [from, ...(column.endsWith('_id') ? [`${from}_id`] : [])].filter((name) => name !== column)
}

/** One key of the maps in a list. */
function renamedKey(at: string, called: string, was: string, now: string): Carry {
  const one = `case when e ? ${text(was)} then (e - ${text(was)}) || jsonb_build_object(${text(now)}, e -> ${text(was)}) else e end`
  return {
    where: `resource in (${called}) and exists (select 1 from jsonb_path_query(${at}, '$[*]') e where e ? ${text(was)})`,
    value: `(select jsonb_agg(${one} order by o) from jsonb_array_elements(${at}) with ordinality as l(e, o))`,
  }
}

/** The field whose records an automation chooses from. */
function chosen(renaming: Renames, at: string, { from, resource, to }: Part): Carry {
  const heads = calledOf(renaming, resource)
  return {
    where: `${at} = ${text(from)} and split_part(automation, '.', 1) in (${heads})`,
    value: text(to),
  }
}
