/** Tables written by hand for the tests of migrations: a small library. */

import { ENGINE_TABLES } from '../../engine/migration/own/engine-tables.ts'
import { namedIndex } from '../../engine/migration/sql-name.ts'
import type { Column, Table } from '../../engine/migration/table.ts'

export function column(name: string, type: string, more: Partial<Column> = {}): Column {
  return { name, type, nullable: true, default: undefined, identity: false, ...more }
}

const ID = column('id', 'integer', { nullable: false, identity: true })

export const SHELVES: Table = {
  name: 'shelves',
  columns: [ID, column('name', 'character varying(50)', { nullable: false })],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
}

export const BOOKS: Table = {
  name: 'books',
  columns: [
    ID,
    column('signature', 'text', { nullable: false, default: "nextval('books_signature_seq')::text" }),
    column('title', 'character varying(100)', { nullable: false, default: "'it''s untitled'" }),
    column('price', 'numeric(8,2)', { default: "'1.50'" }),
    column('lent', 'boolean', { nullable: false, default: "'false'" }),
    column('copies', 'integer', { default: "'-1'" }),
    column('tags', 'jsonb', { nullable: false, default: `'{"a":1,"list":[]}'` }),
    column('bought', 'date', { default: "'2026-01-31'" }),
    column('printed', 'date', { default: 'CURRENT_DATE' }),
    column('shelf_id', 'integer'),
    column('created_at', 'timestamp with time zone', { default: 'now()' }),
    column('opened_at', 'timestamp with time zone', { default: "'2026-01-01T10:00:00.000Z'" }),
    column('deleted_at', 'timestamp with time zone'),
  ],
  primaryKey: ['id'],
  foreignKeys: [{ column: 'shelf_id', table: 'shelves', onDelete: 'set_null' }],
  indexes: [
    namedIndex('books', { kind: 'btree', unique: true, columns: ['title'], where: '"deleted_at" is null' }),
    namedIndex('books', { kind: 'btree', unique: false, columns: ['shelf_id', 'id'], where: undefined }),
    namedIndex('books', { kind: 'trigram', unique: false, columns: ['title'], where: undefined }),
  ],
  sequences: [{ name: 'books_signature_seq', start: 3000000001 }],
}

export const LIBRARY: readonly Table[] = [BOOKS, ...ENGINE_TABLES, SHELVES]

/** The library with one table changed. */
export function libraryWith(changed: Partial<Table> & { readonly name: string }): readonly Table[] {
  return LIBRARY.map((table) => (table.name === changed.name ? { ...table, ...changed } : table))
}

/** The library with columns of its books replaced, added (new names) or left out (`undefined`). */
export function booksWith(changes: Readonly<Record<string, Column | undefined>>): readonly Table[] {
  const changed = BOOKS.columns.flatMap((old) => (old.name in changes ? (changes[old.name] ?? []) : [old]))
  const added = Object.entries(changes).flatMap(([name, now]) =>
    now && !BOOKS.columns.some((old) => old.name === name) ? [now] : [],
  )
  const columns = [...changed, ...added]
  const known = new Set(columns.map((one) => one.name))
  const foreignKeys = BOOKS.foreignKeys.filter((key) => known.has(key.column))
  return libraryWith({
    name: 'books',
    columns,
    foreignKeys,
    indexes: BOOKS.indexes.filter((i) => i.columns.every((c) => known.has(c))),
  })
}
