/** Judges computed fields: the relation that is counted, the field that is summed up, and the columns that their SQL names. */
import type { Field } from '../../catalog/catalog.ts'
import { isStored } from '../../catalog/stored.ts'
import { memo } from '../../memo.ts'
import { isBroken } from '../link-path.ts'
import { type DraftRelation, isUnread, type Resolution, suggest } from '../resolution.ts'
import { hasOwnTable, type JudgedField, judge, judgedFields, judgedResources, table } from './judgement.ts'

/** Judges every computed field where it is written. */
export function judgeComputedFields(resolution: Resolution): void {
  for (const resource of judgedResources(resolution))
    for (const one of judgedFields(resource)) {
      if (one.field.count !== undefined) judge(resolution, COUNTED, { ...one, ...countedBy(one, one.field.count) })
      const total = totalOf(one)
      if (total !== undefined) judge(resolution, TOTAL, total)
      if (typeof one.value.computed === 'string' && hasOwnTable(resource)) judge(resolution, SQL, one)
    }
}

interface Counted extends JudgedField {
  /** The name of the relation that is counted. */
  readonly name: string
  /** A field of the type count, which counts a has_many only. */
  readonly isCount: boolean
  readonly relation: DraftRelation | undefined
}

function countedBy({ draft, field }: JudgedField, name: string): Pick<Counted, 'name' | 'isCount' | 'relation'> {
  return { name, isCount: field.type.name === 'count', relation: draft.relations.get(name) }
}

const atCounted = ({ isCount, place }: Counted) => place([isCount ? 'of' : 'computed'])

/** The relations that could be counted, or what to write where there is none. */
function countable({ draft, isCount, name }: Counted, hint: string) {
  const many = [...draft.relations.values()].filter(
    ({ kind }) => kind === 'has_many' || (kind === 'many_to_many' && !isCount),
  )
  return many.length > 0
    ? suggest(
        name,
        many.map((one) => one.name),
      )
    : { hint }
}

const COUNTED = table<Counted>('unknown_field', [
  {
    code: 'wrong_option',
    at: atCounted,
    when: ({ isCount, relation }) => isCount && relation?.kind === 'many_to_many',
    says: ({ name }) => `A field of type count counts a has_many, and "${name}" is many_to_many`,
    hint: ({ field, name }) => `write it as ${field.name}: { type: integer, computed: { count: ${name} } }`,
  },
  {
    at: atCounted,
    when: ({ relation }) => relation?.kind === 'belongs_to',
    says: ({ name }) => `"${name}" leads to one record, so there is nothing to count`,
    details: (one) => countable(one, 'name a relation to many records'),
  },
  {
    at: atCounted,
    when: ({ draft, name, relation, resolution }) => relation === undefined && !isBroken(resolution, draft, name),
    says: ({ draft, isCount, name }) =>
      `"${draft.name}" has no ${isCount ? `has_many relation "${name}" to count` : `relation "${name}" to many records`}`,
    details: (one) => countable(one, `add it: relations: { ${one.name}: { has_many: … } }`),
  },
])

interface Total extends JudgedField {
  readonly relation: DraftRelation
  /** The fields of the counted records that are stored. */
  readonly known: readonly Field[]
  /** The field that is summed up or compared; undefined where there is none such. */
  readonly of: Field | undefined
}

/** What the records of a relation come to, where that is written under `computed`. */
function totalOf(one: JudgedField): Total | undefined {
  const { draft, field, resolution, value } = one
  const relation = draft.relations.get(field.count ?? '')
  if (relation === undefined || value.computed === undefined || typeof value.computed === 'string') return undefined
  const fields = resolution.drafts.get(relation.target)?.fields
  const of = fields?.get(field.total?.of ?? '')
  const isUsable = of !== undefined && isStored(of) && of.type.hidden !== true
  return { ...one, relation, known: [...(fields?.values() ?? [])].filter(isStored), of: isUsable ? of : undefined }
}

const TOTAL = table<Total>('unknown_field', [
  {
    code: 'wrong_option',
    at: ['computed'],
    when: ({ field }) => field.total === undefined && field.type.name !== 'integer',
    says: ({ field }) => `A count is an integer, and "${field.name}" is ${field.type.name}`,
  },
  {
    at: ['computed'],
    when: ({ field }) => field.total?.of === '',
    says: ({ field, relation }) =>
      `"${field.name}" does not say which field of "${relation.target}" it is the ${field.total?.by} of`,
    hint: ({ field }) => `write { ${field.total?.by}: ${field.count}.<field> }`,
    details: ({ known }) => ({ expected: known.map(({ name }) => name) }),
  },
  {
    at: ['computed'],
    when: ({ field, of, relation, resolution }) =>
      (field.total?.of ?? '') !== '' && of === undefined && !isUnread(resolution, relation.target),
    says: ({ field, relation }) =>
      `"${relation.target}" has no field "${field.total?.of}" that could be added up or compared`,
    details: ({ field, known }) =>
      suggest(
        field.total?.of ?? '',
        known.map(({ name }) => name),
      ),
  },
  {
    code: 'wrong_option',
    at: ['computed'],
    when: ({ field, of }) => of !== undefined && !canHold(field, of),
    says: ({ field, of }) =>
      `"${field.name}" (${field.type.name}) cannot hold the ${field.total?.by} of "${of?.name}" (${of?.type.name})`,
  },
])

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'decimal'])

/** Whether a field holds what values of another one come to: a number of numbers, or a bound of values like its own. */
function canHold({ total, type }: Field, of: Field): boolean {
  if (total?.by === 'min' || total?.by === 'max') return of.type.name === type.name && of.type.operators.includes('lt')
  if (!NUMBERS.has(of.type.name)) return false
  return type.name === 'decimal' || (type.name === 'integer' && of.type.name === 'integer' && total?.by === 'sum')
}

/** Texts and comments of SQL, in which nothing is a column. */
const TEXTS = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g
/** Another table that is called `t` within the SQL. */
const OWN_T = /(?:\b(?:from|join)\s+|,\s*)[\w."]+\s+(?:as\s+)?t\b/i

const SQL = table<JudgedField>('unknown_field', [
  {
    code: 'wrong_option',
    at: ['computed'],
    when: (one) => sqlOf(one).trim() === '',
    says: 'There is no SQL to compute the value by',
    hint: "write SQL over the record t, as t.first_name || ' ' || t.last_name",
  },
  {
    at: ['computed'],
    says: (one) => {
      const unknown = unknownColumn(one)
      return unknown && `The table of "${one.draft.name}" has no column "${unknown}"`
    },
    details: (one) => suggest(unknownColumn(one) ?? '', columnsOf(one.resolution, one.draft.name)),
  },
])

function sqlOf({ value }: JudgedField): string {
  return String(value.computed).replaceAll(TEXTS, "''")
}

/** A column of the record that the SQL names and the table does not have. */
function unknownColumn(one: JudgedField): string | undefined {
  const { draft, resolution } = one
  const sql = sqlOf(one)
  // A table that was there before has columns which the file does not name.
  if (draft.existing || OWN_T.test(sql)) return undefined
  return [...sql.matchAll(/(?<![\w.])t\.(?:"([^"]+)"|([A-Za-z_]\w*))(?!\s*\()/g)]
    .map(([, quoted, plain]) => quoted ?? plain!.toLowerCase())
    .find((column) => !columnsOf(resolution, draft.name).has(column) && !isBroken(resolution, draft, column))
}

/** The columns of the whole table of an owner, as PostgreSQL knows them. */
const columnsOf = memo((resolution: Resolution, owner: string): ReadonlySet<string> => {
  const drafts = [...resolution.drafts.values()].filter((draft) => draft.owner === owner)
  return new Set(drafts.flatMap(({ fields }) => [...fields.values()].filter(isStored).map(({ column }) => column)))
})
