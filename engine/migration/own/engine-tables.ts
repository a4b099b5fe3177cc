/**
 * The engine's own tables: seeds, migrations, kept answers, jobs, the log of changes, instances, automations, facts.
 */
import { namedIndex } from '../sql-name.ts'
import type { Column, Table } from '../table.ts'

export const MOMENT = 'timestamp with time zone'

/** A column that is never null and has no default, unless `more` says so. */
export function column(name: string, type: string, more: Partial<Column> = {}): Column {
  return { name, type, nullable: false, default: undefined, identity: false, ...more }
}

/** Automations by moments and by schedule: since when they act, and how far they are. */
const AUTOMATION_TABLE: Table = Object.freeze<Table>({
  name: 'plinth_automation',
  columns: [
    column('name', 'text'),
    column('began_at', MOMENT, { default: 'now()' }),
    /** Moments up to here have been worked, all of them. */
    column('worked_until', MOMENT, { default: 'now()' }),
    /** The schedule as it is written, its next moment, and while that moment is worked, the last record of it. */
    column('schedule', 'text', { nullable: true }),
    column('next_at', MOMENT, { nullable: true }),
    column('last_id', 'integer', { nullable: true }),
  ],
  primaryKey: ['name'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const RUN = 'plinth_automation_run'

/** Runs of automations: one row for a record and a cause, in the transaction of the run. */
const AUTOMATION_RUN_TABLE: Table = Object.freeze<Table>({
  name: RUN,
  columns: [
    /** By which readers name it. */
    column('id', 'bigint', { identity: true }),
    column('automation', 'text'),
    /** 0 where a schedule acts without records. */
    column('record_id', 'integer'),
    /** The moment, or the id of the change. */
    column('cause', 'text'),
    column('outcome', 'text'),
    /** The actions, or the reason why there are none. */
    column('what', 'jsonb', { default: "'[]'" }),
    column('at', MOMENT, { default: 'now()' }),
    column('attempt', 'integer', { default: "'0'" }),
    /** When it is tried again. */
    column('due_at', MOMENT, { nullable: true }),
  ],
  primaryKey: ['automation', 'record_id', 'cause'],
  foreignKeys: [],
  indexes: [
    namedIndex(RUN, { kind: 'btree', unique: false, columns: ['at'], where: undefined }),
    namedIndex(RUN, { kind: 'btree', unique: false, columns: ['automation', 'due_at'], where: 'due_at is not null' }),
  ],
  sequences: [],
})

/** The last choices of automations: the higher the turn, the later. */
const AUTOMATION_TURN_TABLE: Table = Object.freeze<Table>({
  name: 'plinth_automation_turn',
  columns: [
    column('automation', 'text'),
    column('field', 'text'),
    column('chosen_id', 'integer'),
    column('turn', 'bigint'),
  ],
  primaryKey: ['automation', 'field', 'chosen_id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const SEED_TABLE: Table = Object.freeze({
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
    /** The meanings of tables and columns, and their earlier names. */
    column('names', 'jsonb', { nullable: true }),
    column('applied_at', MOMENT, { default: 'now()' }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

/** Every step of a migration that was begun; without an end it is under way, or was cut off. */
export const STEP_TABLE: Table = Object.freeze({
  name: 'plinth_step',
  columns: [
    column('id', 'integer', { identity: true }),
    /** The hash of its plan. */
    column('plan', 'text'),
    column('title', 'text'),
    /** `start` or `apply`. */
    column('cause', 'text'),
    /** The machine and the process. */
    column('instance', 'text'),
    column('began_at', MOMENT),
    column('ended_at', MOMENT, { nullable: true }),
    column('error', 'text', { nullable: true }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const IDEMPOTENCY = 'plinth_idempotency'

const IDEMPOTENCY_TABLE: Table = Object.freeze({
  name: IDEMPOTENCY,
  columns: [
    column('actor', 'text'),
    column('route', 'text'),
    column('key', 'text'),
    column('fingerprint', 'text'),
    /** The rights of the caller: a caller with fewer rights does not get the answer. */
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
    /** The attempt that came further last; only those after it count. */
    column('progressed_attempt', 'integer', { default: "'0'" }),
    column('owner', 'text', { nullable: true }),
    column('dedupe', 'text', { nullable: true }),
    column('actor_id', 'integer', { nullable: true }),
    column('runs_as', 'text'),
    column('progress', 'integer', { default: "'0'" }),
    column('result', 'jsonb', { nullable: true }),
    /** The error for operators; `reason` is the part that the caller who enqueued the job may read. */
    column('error', 'text', { nullable: true }),
    column('reason', 'text', { nullable: true }),
    column('created_at', MOMENT, { default: 'now()' }),
    column('finished_at', MOMENT, { nullable: true }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [
    namedIndex(JOB, { kind: 'btree', unique: false, columns: ['name', 'due_at'], where: 'finished_at is null' }),
    namedIndex(JOB, { kind: 'btree', unique: false, columns: ['finished_at'], where: 'finished_at is not null' }),
    namedIndex(JOB, { kind: 'btree', unique: false, columns: ['name'], where: "status = 'failed'" }),
    namedIndex(JOB, { kind: 'btree', unique: true, columns: ['name', 'dedupe'], where: 'dedupe is not null' }),
  ],
  sequences: [],
})

/** Facts of the whole application that no YAML contains, by name. */
export const FACT_TABLE: Table = Object.freeze({
  name: 'plinth_fact',
  columns: [column('name', 'text'), column('value', 'text'), column('created_at', MOMENT, { default: 'now()' })],
  primaryKey: ['name'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

/** The processes that serve the application, each with its answer to the last rollout. */
export const INSTANCE_TABLE: Table = Object.freeze({
  name: 'plinth_instance',
  columns: [
    column('id', 'uuid'),
    column('name', 'text'),
    /** The version of the files that it serves. */
    column('version', 'text'),
    column('rollout', 'text', { nullable: true }),
    column('answer', 'text', { nullable: true }),
    column('reason', 'text', { nullable: true }),
    column('started_at', MOMENT, { default: 'now()' }),
    column('seen_at', MOMENT, { default: 'now()' }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const CHANGE = 'plinth_change'

/** The log of changes: one row for each write of a resource that has listeners. */
const CHANGE_TABLE: Table = Object.freeze({
  name: CHANGE,
  columns: [
    column('id', 'bigint', { identity: true }),
    /** The transaction that wrote it: by it, listeners find what was committed since their last look. */
    column('xid', 'xid8', { default: 'pg_current_xact_id()' }),
    /** The resource whose table the record is in. */
    column('resource', 'text'),
    column('record_id', 'integer'),
    column('action', 'text'),
    /** The account that made it; null for the program itself. */
    column('actor_id', 'integer', { nullable: true }),
    column('request_id', 'text', { nullable: true }),
    /** One of many records that were written at once, as an import does. */
    column('bulk', 'boolean', { default: "'false'" }),
    column('changes', 'jsonb'),
    /** The values that policies compare, before and after the change. */
    column('seen_by', 'jsonb', { nullable: true }),
    /** The automation that wrote it, and how many have written because of each other. */
    column('source', 'text', { nullable: true }),
    column('depth', 'integer', { default: "'0'" }),
    column('created_at', MOMENT, { default: 'now()' }),
  ],
  primaryKey: ['id'],
  foreignKeys: [],
  indexes: [
    namedIndex(CHANGE, { kind: 'btree', unique: false, columns: ['resource', 'record_id', 'id'], where: undefined }),
    namedIndex(CHANGE, { kind: 'btree', unique: false, columns: ['xid'], where: undefined }),
    // For the changes of a period, and for removing old ones.
    namedIndex(CHANGE, { kind: 'btree', unique: false, columns: ['created_at'], where: undefined }),
  ],
  sequences: [],
})

/** How far each listener is in the log. */
const LISTENER_TABLE: Table = Object.freeze({
  name: 'plinth_listener',
  columns: [
    column('name', 'text'),
    /** All changes that this snapshot sees have been worked. */
    column('done', 'pg_snapshot'),
    /** While a part of the log is under way: where it ends, and the last change of it that has been worked. */
    column('upto', 'pg_snapshot', { nullable: true }),
    column('last_id', 'bigint', { default: "'0'" }),
    column('worked_at', MOMENT, { default: 'now()' }),
  ],
  primaryKey: ['name'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const DEFERRED = 'plinth_deferred_change'

/** Changes that a listener could not work: tried again, in order for each record, then set aside with their error. */
const DEFERRED_CHANGE_TABLE: Table = Object.freeze<Table>({
  name: DEFERRED,
  columns: [
    column('listener', 'text'),
    column('change_id', 'bigint'),
    column('resource', 'text'),
    column('record_id', 'integer'),
    column('attempt', 'integer', { default: "'0'" }),
    column('due_at', MOMENT, { default: 'now()' }),
    column('error', 'text', { nullable: true }),
    /** When it was set aside; null while it is tried again. */
    column('failed_at', MOMENT, { nullable: true }),
  ],
  primaryKey: ['listener', 'change_id'],
  foreignKeys: [{ column: 'change_id', table: CHANGE, onDelete: 'cascade' }],
  indexes: [
    namedIndex(DEFERRED, { kind: 'btree', unique: false, columns: ['listener', 'due_at'], where: 'failed_at is null' }),
    namedIndex(DEFERRED, { kind: 'btree', unique: false, columns: ['change_id'], where: undefined }),
  ],
  sequences: [],
})

/** The calendars whose hours are in the table below, by a hash of their content. */
const CALENDAR_TABLE: Table = Object.freeze<Table>({
  name: 'plinth_calendar',
  columns: [
    column('key', 'text'),
    /** When an application last had it; a calendar that was not used for long is removed with its hours. */
    column('used_at', MOMENT, { default: 'now()' }),
    /** Up to when its hours are there. */
    column('filled_to', MOMENT),
  ],
  primaryKey: ['key'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

const WORKING_TIME = 'plinth_working_time'

/** The stretches of work of each calendar, so that a statement can count working time. */
const WORKING_TIME_TABLE: Table = Object.freeze<Table>({
  name: WORKING_TIME,
  columns: [
    column('calendar', 'text'),
    column('starts_at', MOMENT),
    column('ends_at', MOMENT),
    /** The working time from the first stretch to the begin of this one, and to its end, in microseconds. */
    column('worked_before', 'bigint'),
    column('worked_after', 'bigint'),
  ],
  primaryKey: ['calendar', 'starts_at'],
  foreignKeys: [],
  indexes: [
    namedIndex(WORKING_TIME, {
      kind: 'btree',
      unique: false,
      columns: ['calendar', 'worked_after'],
      where: undefined,
    }),
  ],
  sequences: [],
})

/** Counts of records and bytes of accounts with a quota. */
const QUOTA_TABLE: Table = Object.freeze({
  name: 'plinth_quota',
  columns: [column('account', 'integer'), column('records', 'bigint'), column('bytes', 'bigint')],
  primaryKey: ['account'],
  foreignKeys: [],
  indexes: [],
  sequences: [],
})

export const ENGINE_TABLES: readonly Table[] = Object.freeze([
  AUTOMATION_TABLE,
  AUTOMATION_RUN_TABLE,
  AUTOMATION_TURN_TABLE,
  CALENDAR_TABLE,
  CHANGE_TABLE,
  DEFERRED_CHANGE_TABLE,
  FACT_TABLE,
  IDEMPOTENCY_TABLE,
  INSTANCE_TABLE,
  JOB_TABLE,
  LISTENER_TABLE,
  MIGRATION_TABLE,
  QUOTA_TABLE,
  SEED_TABLE,
  STEP_TABLE,
  WORKING_TIME_TABLE,
])

/** The engine's own tables; `kept` is the type in which the log of changes keeps the ids of records. */
export function engineTables(kept: 'integer' | 'text'): readonly Table[] {
  if (kept === 'integer') return ENGINE_TABLES
  const keeps = (table: Table): boolean => table === CHANGE_TABLE || table === DEFERRED_CHANGE_TABLE
  return ENGINE_TABLES.map((table) =>
    keeps(table)
      ? { ...table, columns: table.columns.map((one) => (one.name === 'record_id' ? { ...one, type: kept } : one)) }
      : table,
  )
}
