/** The engine's own tables of automations: where each stands, what it did, and whom it chose last. */
import { column, MOMENT } from './engine-column.ts'
import { namedIndex } from './name.ts'
import type { Table } from './table.ts'

/** Automations by moments and by the clock: since when they act, and how far they have come. */
export const AUTOMATION_TABLE: Table = Object.freeze<Table>({
  name: 'plinth_automation',
  columns: [
    column('name', 'text'),
    column('began_at', MOMENT, { default: 'now()' }),
    /** Moments up to here have been worked, all of them. */
    column('worked_until', MOMENT, { default: 'now()' }),
    /** The schedule as it is written, the moment that comes next, and while that is worked the last record that was there. */
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

/** What automations did: one row for a record and a cause, in the transaction of what was done. */
export const AUTOMATION_RUN_TABLE: Table = Object.freeze<Table>({
  name: RUN,
  columns: [
    column('automation', 'text'),
    /** 0 where a schedule acts without records. */
    column('record_id', 'integer'),
    /** The moment, or the id of the change. */
    column('cause', 'text'),
    column('outcome', 'text'),
    /** What was done, or why it was not. */
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

/** Whom automations chose last: the higher the turn, the later. */
export const AUTOMATION_TURN_TABLE: Table = Object.freeze<Table>({
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
