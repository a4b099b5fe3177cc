/** A resource as the text of a YAML file. */
import type { Json, JsonObject } from '../json.ts'
import { isChosen, oneLine, type ResourceForm } from './resource.ts'

/** Words that YAML 1.1 or 1.2 takes for something other than a text. */
const OTHER = /^(?:true|false|null|yes|no|on|off|y|n)$/i
const BARE = /^[A-Za-z$][A-Za-z0-9_$./-]*(?: [A-Za-z0-9_$./-]+)*$/

/** Texts that fit into single quotes unchanged, and not into double ones. */
const SINGLE = /^[ !"#-&(-~]*"[ !"#-&(-~]*$/

/** A text, in quotes where it would have another meaning without them. */
function scalar(text: string): string {
  if (BARE.test(text) && !OTHER.test(text)) return text
  return SINGLE.test(text) ? `'${text}'` : JSON.stringify(text).replace(UNSEEN, escaped)
}

/** Signs that a terminal obeys, or that turn the direction of writing. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

function escaped(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  )
}

/** A value on one line. */
function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? scalar(value) : String(value)
  const entries = Object.entries(value).map(([key, item]) => `${scalar(key)}: ${flow(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** The column at which values are aligned; longer names are not aligned. */
const WIDEST = 24

/** A map with one line for each entry, below a key. */
function block(key: string, entries: Iterable<readonly [name: string, value: Json]>): string {
  const all = [...entries]
  if (all.length === 0) return ''
  const width = Math.min(WIDEST, Math.max(...all.map(([name]) => scalar(name).length)))
  return `${key}:\n${all.map(([name, value]) => `  ${`${scalar(name)}:`.padEnd(width + 1)} ${flow(value)}\n`).join('')}`
}

const HEAD = '# yaml-language-server: $schema=../.plinth/resource.schema.json\n'

const POLICIES = { list: 'view', create: 'create', update: 'update', delete: 'delete' } as const

export function resourceText(form: ResourceForm): string {
  const { name, table, fields, relations, indexes, updateSets, actions } = form
  const comment = oneLine(table.comment)
  const lines = [
    `resource: ${scalar(name)}`,
    ...(comment === '' ? [] : [`description: ${scalar(comment)}`]),
    `table: ${scalar(table.name)}`,
    'existing: true        # Plinth never changes the table itself',
    `id: ${flow(idOf(form))}`,
    'timestamps: false',
    ...(actions.length === 5 ? [] : [`actions: ${flow([...actions])}`]),
  ]
  const parts = [
    `${HEAD}${lines.join('\n')}\n`,
    block('fields', fields),
    block('relations', relations),
    indexes.length === 0 ? '' : `indexes:\n${indexes.map((index) => `  - ${flow(index)}\n`).join('')}`,
    block('update_sets', Object.entries(updateSets)),
    policiesOf(form),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function idOf({ key }: ResourceForm): JsonObject {
  return {
    ...(key.type === 'integer' ? {} : { type: key.type }),
    column: key.column.name,
    ...(key.column.kind === 'e' || key.column.type.endsWith('citext') ? { column_type: key.column.type } : {}),
    // Compared without the blanks that fill it up.
    ...(/^character(\(|$)/.test(key.column.type) ? { column_type: 'bpchar' } : {}),
    ...(key.column.kind === 'e' ? { values: [...(key.column.words ?? [])] } : {}),
    ...(isChosen(key) ? { chosen: true } : {}),
  }
}

/** Only administrators, until a person allows others. */
function policiesOf({ actions }: ResourceForm): string {
  const named = Object.entries(POLICIES).filter(([action]) => (actions as readonly string[]).includes(action))
  const admin: Json = [{ role: 'admin' }]
  const comment =
    '# Administrators alone see and change it. Each further right is one more clause, such as { who: signed_in }.\n'
  return `${comment}${block(
    'policies',
    named.map(([, policy]) => [policy, admin] as const),
  )}`
}

/** A file that gives the resource of a plugin another table. */
export function movedText(resource: string, table: string): string {
  const words: JsonObject = { resource, table }
  const comment = `# The database has a table of the name that ${resource} of Plinth would have, so these stand in another one.\n`
  return `${HEAD}${comment}${Object.entries(words)
    .map(([key, value]) => `${key}: ${flow(value)}\n`)
    .join('')}`
}
