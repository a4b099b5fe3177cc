/** The values that policies may name of an actor, as columns of the statement that reads its account. */
import type { Catalog, Field } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import type { WireKind } from '../field/field-type.ts'
import { wireJson } from '../field/wire.ts'
import { quoted } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import { computedTexts } from './condition.ts'

/** Columns for a select list, and the function that reads the actor's attributes from them. */
export interface AttributeColumns {
  /** SQL over the alias of the account, in the order in which `read` expects them. */
  readonly columns: readonly string[]
  /** The attributes of a row whose columns begin at `from`. */
  read(row: Row, from: number): Readonly<Record<string, Json>>
}

/** The attributes of accounts whose table has the alias; none where no plugin says what accounts are. */
export function attributeColumns(catalog: Catalog, alias: string): AttributeColumns {
  const attributes = [...(catalog.accounts?.attributes ?? [])]
  const fields = [...new Set(attributes.map(([, field]) => field))]
  const places = attributes.map(([name, field]) => [name, fields.indexOf(field), field.type.wire] as const)
  return {
    columns: fields.map((field) => columnSql(catalog, field, alias)),
    read: (row, from) =>
      Object.freeze(
        Object.fromEntries(places.map(([name, at, wire]) => [name, attributeOf(wire, row[from + at] ?? null)])),
      ),
  }
}

function columnSql({ accounts, resources }: Catalog, field: Field, alias: string): string {
  if (field.computed === undefined) return `${alias}.${quoted(field.column)}`
  const account = resources.get(accounts?.resource ?? '')
  const id = account === undefined ? `${alias}."id"` : idSql(account, alias)
  return `(${computedTexts(field.computed, alias).join(id)})`
}

function attributeOf(wire: WireKind, text: string | null): Json {
  return wire === 'string' || wire === 'date' ? text : (JSON.parse(wireJson(wire, text)) as Json)
}
