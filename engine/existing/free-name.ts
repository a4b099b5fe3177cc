/** Names for the YAML, made from names of a database: valid, and not taken yet. */
import { singular } from '../catalog/name.ts'
import { slugify } from '../field/index.ts'
import { CONNECTIVES } from '../filter/parse-yaml.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,49}$/
/** The most characters of a name. */
const LONGEST = 50
/** The field of every record, and words of the filter language. */
const RESERVED: ReadonlySet<string> = new Set(['id', ...CONNECTIVES])

/** Whether the YAML can write the name of a table or a column. */
export function isNameable(name: string): boolean {
  return NAME.test(name)
}

/** `InvoiceLine` → `invoice_line`, `Größe` → `grosse`. */
export function plainName(name: string): string {
  const words = slugify(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')).replaceAll('-', '_')
  return words.replace(/^[^a-z]+|_+$/g, '').slice(0, 40) || 'unnamed'
}

/** A name that is not taken yet, the wanted one if it can be; it is taken then. */
export function free(wanted: string, taken: Set<string>, otherwise = `${wanted.slice(0, LONGEST - 6)}_value`): string {
  const numbered = Array.from({ length: 1000 }, (_, at) => `_${at + 2}`)
  const candidates = [
    wanted.slice(0, LONGEST),
    otherwise.slice(0, LONGEST),
    ...numbered.map((end) => `${otherwise.slice(0, LONGEST - end.length)}${end}`),
  ]
  const name = candidates.find((one) => !taken.has(one) && !RESERVED.has(one)) ?? wanted
  taken.add(name)
  return name
}

/** The name of a field: that of its column, if it can be. */
export function fieldName(column: string, taken: Set<string>): string {
  return free(isNameable(column) ? column : plainName(column), taken)
}

/** The name of a resource: that of its table, in small letters. */
export function resourceName(table: string, taken: Set<string>): string {
  const name = plainName(table)
  return free(name, taken, `existing_${name}`)
}

function small(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** `language_id` → `language`, `AlbumId` → `album`; another name gets the name of the target added. */
export function relationName(column: string, target: string, taken: Set<string>): string {
  const [, stem] = /^(.+?)(?:_id|Id|ID)$/.exec(column) ?? []
  const one = column.toLowerCase().includes(singular(target)) ? 'record' : singular(target)
  const after = /[A-Z]/.test(column) ? small(column) + one.charAt(0).toUpperCase() + one.slice(1) : `${column}_${one}`
  const wanted = stem === undefined ? after : small(stem)
  return free(isNameable(wanted) ? wanted : after, taken, after)
}
