/** Judges tables: their names, indexes, what lives in them, tables that are there already, and earlier names. */
import type { Field } from '../../catalog/catalog.ts'
import { READ_TABLES } from '../../catalog/stored.ts'
import type { RenameDefinition, ResourceDefinition } from '../../definition/definition.ts'
import { renameOf, under } from '../document-part.ts'
import { isOfOwnValues } from '../filter-dependencies.ts'
import { INDEXED_CHARACTERS, INDEXED_FIELDS } from '../indexes.ts'
import type { Resolution } from '../resolution.ts'
import {
  hasOwnTable,
  type JudgedResource,
  judge,
  judgedResources,
  listed,
  type Placed,
  type Row,
  table,
} from './judgement.ts'

/** Judges the table of every resource. */
export function judgeTables(resolution: Resolution): void {
  const resources = judgedResources(resolution)
  const owners = resources.filter(hasOwnTable)
  for (const resource of resources) {
    judge(resolution, NAME, resource)
    for (const index of indexesOf(resource)) judge(resolution, INDEX, index)
  }
  const taken = new Map<string, string>()
  for (const resource of owners) {
    const { draft, written } = resource
    judge(resolution, OWN, { ...resource, other: taken.get(draft.table) })
    taken.set(draft.table, draft.name)
    const parts = [...written.fields, ...written.relations].map(([name, part]) => ({ name, ...part }))
    const what = `a field or relation of "${draft.name}"`
    const isThere = (name: string): boolean => draft.fields.has(name) || draft.relations.has(name)
    judgeRenames(resolution, { parts, what, other: 'one', isThere })
  }
  const parts = owners.map(({ draft, place, value }) => ({ name: draft.name, place, value }))
  judgeRenames(resolution, {
    parts,
    what: 'a resource',
    other: 'resource',
    isThere: (name) => resolution.drafts.has(name),
  })
}

const atTable = ({ place, value }: JudgedResource) => place([value.table === undefined ? 'resource' : 'table'])

const READS: ReadonlySet<string> = new Set(['list', 'get'])

const NAME = table<JudgedResource>('reserved_name', [
  {
    code: 'name_too_long',
    at: ({ draft }) => draft.span,
    says: ({ draft }) => Buffer.byteLength(draft.table) > 63 && `The table "${draft.table}" is longer than 63 bytes`,
  },
  {
    at: ({ draft }) => draft.span,
    says: ({ draft: { table } }) =>
      table.startsWith('plinth_') &&
      !READ_TABLES.has(table) &&
      'Tables that begin with "plinth_" are the engine\'s own',
    hint: `choose another name, or give it another "table"; resources may read ${[...READ_TABLES].join(' and ')}`,
  },
  {
    code: 'wrong_option',
    at: atTable,
    when: ({ draft }) => READ_TABLES.has(draft.table),
    says: ({ draft: { actions, nested }, value }) =>
      ([...actions, ...nested.flatMap((below) => below.actions)].some((action) => !READS.has(action)) ||
        value.seeds !== undefined ||
        value.keep !== undefined) &&
      'Only the engine writes this table and removes its rows',
    hint: 'write `actions: [list, get]`, and take "seeds" and "keep" away',
  },
  {
    at: atTable,
    says: ({ draft }) => draft.table.startsWith('pg_') && 'Tables that begin with "pg_" are PostgreSQL\'s own',
    hint: 'choose another name, or give it another "table"',
  },
])

const OWN = table<JudgedResource & { readonly other: string | undefined }>('name_clash', [
  {
    at: atTable,
    says: ({ draft, other }) => other !== undefined && `The table "${draft.table}" is the one of "${other}" already`,
    hint: ({ other }) => `write "of: ${other}" to use its table`,
  },
  {
    code: 'invalid_filter',
    at: ['live'],
    // Indexes are of living records alone, so the record itself says whether it lives.
    when: ({ draft: { live }, value }) => value.live !== undefined && live !== undefined && !isOfOwnValues(live),
    says: '"live" is of fixed values of the record itself',
    hint: 'compare own fields that are stored with values that are written out, as { deleted_at: null }',
  },
  ...(['fields', 'relations'] as const).map(
    (parts): Row<JudgedResource> => ({
      code: 'wrong_option',
      words: ({ draft, written }) => (draft.existing ? [...written[parts].keys()].map((name) => [[], name]) : []),
      at: ({ written }, name) => written[parts].get(name)!.place(['backfill'], 'key'),
      when: ({ written }, name) => written[parts].get(name)?.value.backfill !== undefined,
      says: ({ draft }, name) =>
        `The table of "${draft.name}" is there already and never changed, so "backfill" of "${name}" does nothing`,
      hint: 'take "backfill" away',
    }),
  ),
])

interface JudgedIndex extends Pick<JudgedResource, 'draft' | 'place'> {
  readonly fields: readonly string[]
  readonly unique: unknown
}

/** The written indexes, each at the place of its fields. */
function indexesOf({ draft, place, value }: JudgedResource): readonly JudgedIndex[] {
  return (value.indexes ?? []).map((index: NonNullable<ResourceDefinition['indexes']>[number], at) =>
    'fields' in index
      ? { unique: true, ...index, draft, place: under(place, 'indexes', at, 'fields') }
      : { unique: true, fields: index, draft, place: under(place, 'indexes', at) },
  )
}

const INDEX = table<JudgedIndex>('wrong_value', [
  {
    code: 'wrong_option',
    when: ({ draft, unique }) => draft.existing && unique !== true,
    says: 'The table is there already and never changed, so no index is made',
    hint: 'take it away, and make it where the table comes from',
  },
  {
    when: ({ fields }) => fields.length > INDEXED_FIELDS,
    says: ({ fields }) => `An index has at most ${INDEXED_FIELDS} fields, and this one ${fields.length}`,
    hint: 'name the fields that tell records apart best',
  },
  {
    words: ({ fields }) => listed([], fields),
    when: ({ draft }, name) => isLong(draft.fields.get(name)),
    says: ({ draft }, name) => `"${name}" (${draft.fields.get(name)?.type.name}) may be too long for an index`,
    hint: `let it have at most ${INDEXED_CHARACTERS} characters, or use search, which has an index of its own`,
  },
])

function isLong(field: Field | undefined): boolean {
  if (field === undefined) return false
  const { options, type } = field
  if (type.wire === 'json') return true
  const most = type.name === 'text' ? Number(options.own.max ?? Number.POSITIVE_INFINITY) : 0
  return Math.max(most, type.name === 'string' ? (type.longest?.(options) ?? 0) : 0) > INDEXED_CHARACTERS
}

/** A field or relation, or a resource, as far as its earlier name is judged. */
interface Part extends Placed {
  readonly name: string
  readonly value: { readonly renamed_from?: string | RenameDefinition }
}

/** Things of one kind that may have had other names. */
interface Renaming {
  readonly parts: readonly Part[]
  /** What a thing of the kind is called: `a resource`. */
  readonly what: string
  readonly other: string
  readonly isThere: (name: string) => boolean
}

interface Renamed extends Renaming, Placed {
  readonly name: string
  readonly earlier: RenameDefinition
}

function judgeRenames(resolution: Resolution, renaming: Renaming): void {
  for (const { name, place, value } of renaming.parts) {
    const earlier = renameOf(value.renamed_from)
    if (earlier !== undefined) judge(resolution, RENAMED, { ...renaming, name, place, earlier })
  }
}

const RENAMED = table<Renamed>('wrong_value', [
  {
    code: 'name_clash',
    at: ['renamed_from'],
    when: ({ earlier, isThere }) => isThere(earlier.name),
    says: ({ earlier, name, what }) => `"${earlier.name}" is ${what} still, so "${name}" cannot have been called so`,
    hint: ({ other }) => `remove the other ${other}, or take renamed_from away`,
  },
  ...(['since', 'until'] as const).map(
    (key): Row<Renamed> => ({
      at: ['renamed_from', key],
      says: ({ earlier }) => earlier[key] !== undefined && !isDay(earlier[key]) && `There is no day ${earlier[key]}`,
      hint: 'write a day of the calendar, as 2027-01-31',
    }),
  ),
  {
    at: ['renamed_from', 'until'],
    when: ({ earlier: { since, until } }) => since !== undefined && until !== undefined && since >= until,
    says: 'The earlier name ends before it begins',
    hint: '"since" is the day of the renaming, "until" the last day of the earlier name',
  },
  {
    code: 'name_clash',
    at: ['renamed_from'],
    says: ({ earlier, name, parts }) => {
      const first = parts.find(({ value }) => renameOf(value.renamed_from)?.name === earlier.name)
      return first === undefined || first.name === name
        ? undefined
        : `"${earlier.name}" is the earlier name of "${first.name}" already`
    },
    hint: 'give each the name that it had itself',
  },
])

function isDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
}
