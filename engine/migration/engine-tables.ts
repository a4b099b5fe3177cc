/** The engine's own tables: what was seeded, what was migrated, and the answers kept for repeated requests. */
import type { Column, Table } from './table.ts'

function column(name: string, type: string, more: Partial<Column> = {}): Column {
  return { name, type, nullable: false, default: undefined, identity: false, ...more }
}

const MOMENT = 'timestamp with time zone'

export const SEED_TABLE: Table = Object.freeze({
  name: 'plinth_seed',
  columns: [column('resource', 'text'), column('key', 'text'), column('created_at', MOMENT, { default: 'now()' })],
  primaryKey: ['resource', 'key'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

export const MIGRATION_TABLE: Table = Object.freeze({
  name: 'plinth_migration',
  columns: [
    column('id', 'integer', { identity: true }),
    column('hash', 'text'),
    column('steps', 'jsonb'),
    column('owned', 'jsonb'),
    column('applied_at', MOMENT, { default: 'now()' }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

export const IDEMPOTENCY_TABLE: Table = Object.freeze({
  name: 'plinth_idempotency',
  columns: [
    column('actor', 'text'),
    column('route', 'text'),
    column('key', 'text'),
    column('fingerprint', 'text'),
    column('status', 'integer', { nullable: true }),
    column('headers', 'jsonb', { nullable: true }),
    column('body', 'text', { nullable: true }),
    column('created_at', MOMENT, { default: 'now()' }),
    column('locked_until', MOMENT, { nullable: true }),
  ],
  primaryKey: ['actor', 'route', 'key'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

export const ENGINE_TABLES: readonly Table[] = Object.freeze([IDEMPOTENCY_TABLE, MIGRATION_TABLE, SEED_TABLE])
