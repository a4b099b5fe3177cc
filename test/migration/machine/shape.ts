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
  readonly seeds?: { readonly field: string; readonly words: readonly string[] }
}

export type Version = readonly Resource[]

export type Files = Readonly<Record<string, string>>

/** A number that clients write while versions change; no change concerns it. */
export const STEADY = 'steady'

export const tableOf = ({ name, table }: Resource): string => table ?? name
export const columnOf = ({ name, column }: Field): string => column ?? name
export const keyOf = ({ name, column }: Relation): string => column ?? `${name}_id`

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
  const { backfill, follows, sum, unique, required, values, becomes, earlier, column, type } = field
  const options = {
    type,
    ...{ values, becomes, column, required, unique },
    default: field.default,
    min: field.least,
    renamed_from: earlier,
    stored: sum && { plus: sum.map(nameOf) },
    backfill: backfill && ('of' in backfill ? `$record.${nameOf(backfill.of)}` : backfill.value),
    read_only: follows === undefined ? undefined : true,
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

function fileOf(resource: Resource, resourceName: (key: string) => string): string {
  const { fields, relations, rule, seeds } = resource
  const nameOf = (key: string) => fields.find((one) => one.key === key)?.name ?? 'missing'
  const copies = fields.flatMap(({ name, follows }) =>
    follows === undefined ? [] : [`  - { set: { ${name}: $record.${nameOf(follows)} } }`],
  )
  const must = rule && { must: { [nameOf(rule.field)]: { ne: rule.not } }, says: 'It must not be this' }
  const rows = seeds?.words.map((word) => `    - ${flow({ [nameOf(seeds.field)]: word })}`) ?? []
  return [
    `resource: ${resource.name}`,
    ...(resource.earlier === undefined ? [] : [`renamed_from: ${resource.earlier}`]),
    ...(resource.table === undefined ? [] : [`table: ${resource.table}`]),
    `soft_delete: ${resource.softDelete}`,
    `timestamps: ${resource.timestamps}`,
    'fields:',
    `  ${STEADY}: { type: integer }`,
    ...fields.map((field) => fieldLine(field, nameOf)),
    ...block(
      'relations',
      relations.map((relation) => relationLine(relation, resourceName)),
    ),
    ...block('follows', copies),
    ...block('rules', must === undefined ? [] : [`  held: ${flow(must)}`]),
    ...(seeds === undefined ? [] : ['seeds:', `  key: ${nameOf(seeds.field)}`, '  rows:', ...rows]),
    'policies:',
    ...['view', 'create', 'update', 'delete'].map((policy) => `  ${policy}: [{ who: anyone }]`),
    '',
  ].join('\n')
}

export const APP = 'name: Machine\nversion: v1\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {} }\n'

/** The files of a version, by name; a resource keeps its file when it is renamed. */
export function filesOf(version: Version): Files {
  const resourceName = (key: string) => version.find((one) => one.key === key)?.name ?? 'missing'
  const entries = version.map((one) => [`${one.key}.yaml`, fileOf(one, resourceName)] as const)
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
