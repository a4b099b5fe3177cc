/** The engine's own tables: what was seeded, what was migrated, the answers kept for repeated requests, the jobs, and facts. */
import { namedIndex } from './name.ts'
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
    /** The catalog that this was done for, by the tables that it wants, and the words of its enums. */
    column('catalog', 'text', { nullable: true }),
    column('words', 'jsonb', { nullable: true }),
    column('applied_at', MOMENT, { default: 'now()' }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const IDEMPOTENCY = 'plinth_idempotency'

export const IDEMPOTENCY_TABLE: Table = Object.freeze({
  name: IDEMPOTENCY,
  columns: [
    column('actor', 'text'),
    column('route', 'text'),
    column('key', 'text'),
    column('fingerprint', 'text'),
    /** What whoever asked was allowed: the answer is for nobody who may less. */
    column('rights', 'jsonb', { nullable: true }),
    column('status', 'integer', { nullable: true }),
    column('headers', 'jsonb', { nullable: true }),
    column('body', 'text', { nullable: true }),
    column('created_at', MOMENT, { default: 'now()' }),
    column('locked_until', MOMENT, { nullable: true }),
  ],
  primaryKey: ['actor', 'route', 'key'],
  foreignKeys: [],
  indexes: [namedIndex(IDEMPOTENCY, { kind: 'btree', unique: false, columns: ['created_at'], where: undefined })],
  sequences: [],
})

const JOB = 'plinth_job'

export const JOB_TABLE: Table = Object.freeze({
  name: JOB,
  columns: [
    column('id', 'uuid'),
    column('name', 'text'),
    column('payload', 'jsonb'),
    column('status', 'text', { default: "'pending'" }),
    /** When it is to run; while it runs, when its owner has lost it. */
    column('due_at', MOMENT, { default: 'now()' }),
    column('attempt', 'integer', { default: "'0'" }),
    column('attempts', 'integer'),
    column('owner', 'text', { nullable: true }),
    column('dedupe', 'text', { nullable: true }),
    column('actor_id', 'integer', { nullable: true }),
    column('runs_as', 'text'),
    column('progress', 'integer', { default: "'0'" }),
    column('result', 'jsonb', { nullable: true }),
    /** What went wrong, for operators; `reason` is the part of it that whoever enqueued it may read. */
    column('error', 'text', { nullable: true }),
    column('reason', 'text', { nullable: true }),
    column('created_at', MOMENT, { default: 'now()' }),
    column('finished_at', MOMENT, { nullable: true }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [
    namedIndex(JOB, { kind: 'btree', unique: false, columns: ['due_at'], where: 'finished_at is null' }),
    namedIndex(JOB, { kind: 'btree', unique: false, columns: ['finished_at'], where: 'finished_at is not null' }),
    namedIndex(JOB, { kind: 'btree', unique: true, columns: ['name', 'dedupe'], where: 'dedupe is not null' }),
  ],
  sequences: [],
})

/** What is true of the whole application and nobody writes into YAML, by name. */
export const FACT_TABLE: Table = Object.freeze({
  name: 'plinth_fact',
  columns: [column('name', 'text'), column('value', 'text'), column('created_at', MOMENT, { default: 'now()' })],
  primaryKey: ['name'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

export const ENGINE_TABLES: readonly Table[] = Object.freeze([
  FACT_TABLE,
  IDEMPOTENCY_TABLE,
  JOB_TABLE,
  MIGRATION_TABLE,
  SEED_TABLE,
])
