/** A version of an application as data: every resource, field and relation has a key that no renaming changes. */
import type { Json } from '../../../engine/json.ts'

export const TYPES = ['string', 'integer', 'decimal', 'boolean', 'date', 'timestamp', 'enum', 'text', 'list'] as const

export type TypeName = (typeof TYPES)[number] | 'sequence'

export interface Field {
  readonly key: string
  readonly name: string
  readonly type: TypeName
  readonly earlier?: string | undefined
  readonly column?: string
  readonly required?: boolean
  readonly unique?: boolean
  readonly default?: Json
  /** What null becomes: a value, or that of another field. */
  readonly backfill?: { readonly value: Json } | { readonly of: string }
  /** The least value of an integer. */
  readonly least?: number
  /** The words of an enum. */
  readonly values?: readonly string[]
  readonly becomes?: Readonly<Record<string, string>>
  /** The keys of two integers of which the database computes the sum. */
  readonly sum?: readonly [string, string]
  /** The key of the field whose value each write copies here. */
  readonly follows?: string
  readonly total?: Total
}

/** What the records of another resource make of a number in the record that they belong to. */
export interface Total {
  /** The keys of the resource and of its relation. */
  readonly from: string
  readonly by: string
  /** The key of the number that is summed up; records are counted if absent. */
  readonly of?: string | undefined
}

export interface SeedRow {
  readonly word: string
  /** Another value, by the key of its field. */
  readonly also?: { readonly field: string; readonly value: Json }
  /** The seed of another resource that it names, by the key of the relation. */
  readonly names?: { readonly relation: string; readonly word: string }
}

/** Records that are known by the field of a key. */
export interface Seeds {
  readonly field: string
  readonly rows: readonly SeedRow[]
}

/** A field that is unique among the records that have a value in another one. */
export interface UniqueAmong {
  readonly field: string
  readonly where: { readonly field: string; readonly value: Json }
}

export interface Relation {
  readonly key: string
  readonly name: string
  readonly kind: 'one' | 'many'
  /** The key of a resource. */
  readonly target: string
  readonly earlier?: string | undefined
  readonly column?: string
  readonly required?: boolean
  /** The joining table. */
  readonly through?: string
}

export interface Resource {
  readonly key: string
  readonly name: string
  readonly earlier?: string | undefined
  readonly table?: string
  readonly softDelete: boolean
  readonly timestamps: boolean
  readonly fields: readonly Field[]
  readonly relations: readonly Relation[]
  /** The key of a field and a value that it must not have. */
  readonly rule?: { readonly field: string; readonly not: Json }
  /** The keys of two days that no two records share. */
  readonly apart?: readonly [string, string] | undefined
  readonly partial?: UniqueAmong | undefined
  readonly seeds?: Seeds | undefined
}

export type Version = readonly Resource[]

export type Files = Readonly<Record<string, string>>

/** A number that clients write while versions change; no change concerns it. */
export const STEADY = 'steady'

export const tableOf = ({ name, table }: Resource): string => table ?? name
export const columnOf = ({ name, column }: Field): string => column ?? name
export const keyOf = ({ name, column }: Relation): string => column ?? `${name}_id`

/** A number of one resource that records of another make. */
export interface Totalled {
  readonly resource: Resource
  readonly field: Field
  readonly total: Total
}

/** The numbers of others that the records of a resource make. */
export function totalsFrom(version: Version, { key }: Resource): readonly Totalled[] {
  return version.flatMap((resource) =>
    resource.fields.flatMap((field) => (field.total?.from === key ? [{ resource, field, total: field.total }] : [])),
  )
}

/** What a list calls the ids of a relation. */
export function answerName(relation: Relation): string {
  return relation.kind === 'one' ? keyOf(relation) : relation.name
}

const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)[a-z_$][\w$.]*$/i

/** A value in one line of YAML. */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'string') return PLAIN.test(value) ? value : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{ ${entries.map(([name, one]) => `${name}: ${flow(one)}`).join(', ')} }`
}

function fieldLine(field: Field, nameOf: (key: string) => string): string {
  const { backfill, follows, sum, total, unique, required, values, becomes, earlier, column, type } = field
  const options = {
    type,
    ...{ values, becomes, column, unique },
    ...(total === undefined ? { required } : { nullable: required && false }),
    default: field.default,
    min: field.least,
    renamed_from: earlier,
    stored: sum && { plus: sum.map(nameOf) },
    backfill: backfill && ('of' in backfill ? `$record.${nameOf(backfill.of)}` : backfill.value),
    read_only: follows === undefined && total === undefined ? undefined : true,
    ...(type === 'list' ? { of: 'string' } : {}),
  }
  return `  ${field.name}: ${flow(options)}`
}

function relationLine(relation: Relation, resourceName: (key: string) => string): string {
  const { kind, target, earlier, column, required, through } = relation
  const way = kind === 'one' ? 'belongs_to' : 'many_to_many'
  const options = { [way]: resourceName(target), embed: ['id'], renamed_from: earlier, column, required, through }
  return `  ${relation.name}: ${flow(options)}`
}

function block(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}

type Names = (key: string) => string

function namesOf({ fields, relations }: Resource): Names {
  return (key) => [...fields, ...relations].find((one) => one.key === key)?.name ?? 'missing'
}

/** What the records of a resource make of numbers of others, as entries of `follows`. */
function totalLines(resource: Resource, version: Version): readonly string[] {
  const nameOf = namesOf(resource)
  return totalsFrom(version, resource).flatMap(({ field, total }) => {
    const of = nameOf(total.by)
    const more = total.of === undefined ? 1 : { first: [`$record.${nameOf(total.of)}`, 0] }
    const entry = (on: readonly string[], word: 'plus' | 'minus') =>
      flow({ of, on, set: { [field.name]: { [word]: [{ first: [`$record.${of}.${field.name}`, 0] }, more] } } })
    return [entry(['create', 'restore'], 'plus'), entry(['delete'], 'minus')].map((line) => `  - ${line}`)
  })
}

function seedLines({ seeds, relations }: Resource, version: Version, nameOf: Names): readonly string[] {
  if (seeds === undefined) return []
  const rows = seeds.rows.map(({ word, also, names }) => {
    const target = version.find(({ key }) => key === relations.find((one) => one.key === names?.relation)?.target)
    const named = target?.seeds && names && { [namesOf(target)(target.seeds.field)]: names.word }
    return `    - ${flow({
      [nameOf(seeds.field)]: word,
      ...(also && { [nameOf(also.field)]: also.value }),
      ...(named && { [nameOf(names?.relation ?? '')]: named }),
    })}`
  })
  return ['seeds:', `  key: ${nameOf(seeds.field)}`, '  rows:', ...rows]
}

function ruleLines({ rule, apart }: Resource, nameOf: Names): readonly string[] {
  const held = rule && { must: { [nameOf(rule.field)]: { ne: rule.not } }, says: 'It must not be this' }
  const lone = apart && { no_overlap: apart.map(nameOf), says: 'Another one has that day' }
  return [...(held ? [`  held: ${flow(held)}`] : []), ...(lone ? [`  lone: ${flow(lone)}`] : [])]
}

function indexLines({ partial }: Resource, nameOf: Names): readonly string[] {
  if (partial === undefined) return []
  const where = { [nameOf(partial.where.field)]: partial.where.value }
  return [`  - ${flow({ fields: [nameOf(partial.field)], unique: true, where })}`]
}

function fileOf(resource: Resource, version: Version): string {
  const { fields, relations } = resource
  const resourceName = (key: string) => version.find((one) => one.key === key)?.name ?? 'missing'
  const nameOf = namesOf(resource)
  const copies = fields.flatMap(({ name, follows }) =>
    follows === undefined ? [] : [`  - { set: { ${name}: $record.${nameOf(follows)} } }`],
  )
  const linked = relations.map((relation) => relationLine(relation, resourceName))
  return [
    `resource: ${resource.name}`,
    ...(resource.earlier === undefined ? [] : [`renamed_from: ${resource.earlier}`]),
    ...(resource.table === undefined ? [] : [`table: ${resource.table}`]),
    `soft_delete: ${resource.softDelete}`,
    `timestamps: ${resource.timestamps}`,
    'fields:',
    `  ${STEADY}: { type: integer }`,
    ...fields.map((field) => fieldLine(field, nameOf)),
    ...block('relations', linked),
    ...block('follows', [...copies, ...totalLines(resource, version)]),
    ...block('rules', ruleLines(resource, nameOf)),
    ...block('indexes', indexLines(resource, nameOf)),
    ...seedLines(resource, version, nameOf),
    'policies:',
    ...['view', 'create', 'update', 'delete'].map((policy) => `  ${policy}: [{ who: anyone }]`),
    '',
  ].join('\n')
}

export const APP = 'name: Machine\nversion: v1\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {} }\n'

/** The files of a version, by name; a resource keeps its file when it is renamed. */
export function filesOf(version: Version): Files {
  const entries = version.map((one) => [`${one.key}.yaml`, fileOf(one, version)] as const)
  return { 'app.yaml': APP, ...Object.fromEntries(entries) }
}

/** The lines that two versions do not share, as a diff shows them. */
export function difference(before: Files, after: Files): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .flatMap((name) => {
      const [old, now] = [before[name], after[name]].map((text) => (text ?? '').split('\n'))
      const gone = (old ?? []).filter((line) => !now?.includes(line)).map((line) => `- ${line}`)
      const come = (now ?? []).filter((line) => !old?.includes(line)).map((line) => `+ ${line}`)
      return gone.length + come.length === 0 ? [] : [name, ...gone, ...come]
    })
    .join('\n')
}
