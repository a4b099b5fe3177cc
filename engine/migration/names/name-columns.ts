/**
 * The list of all columns that store a name: each column of the engine's own tables with text or JSON, with the names in
 * it or the reason why a rename leaves it alone. Fields of resources say `holds` themselves.
 */
import type { Catalog, Field, Resource } from '../../catalog/catalog.ts'

/** The kind of names in a column: the words of `holds`, and kinds that only the engine writes. */
export type Held =
  | NonNullable<Field['holds']>
  /** `<resource>.<automation>`, and with `automation:` before it. */
  | 'automation'
  | 'listener'
  /** The changes in a row of the log, and the values that policies compare. */
  | 'changed'
  | 'kept'
  /** A role with its permissions. */
  | 'rights'
  /** A field of the resource of an automation. */
  | 'chosen'
  /** The key of a seed, with conditions that name records. */
  | 'seed'

/** A column of the engine's own tables, with the other columns of its key. */
interface Holding {
  readonly holds: Held
  readonly form?: 'map'
  readonly among?: readonly string[]
}

/** A sentence: it holds no name that moves. */
type Entry = Holding | string

const SAID = 'what was said then stays as it was said'

export const ENGINE_COLUMNS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  plinth_automation: { name: { holds: 'automation', among: [] }, schedule: 'moments of the clock' },
  plinth_automation_run: {
    automation: { holds: 'automation', among: ['record_id', 'cause'] },
    cause: 'a moment, or the id of a change',
    outcome: 'a word of the engine',
    what: SAID,
  },
  plinth_automation_turn: {
    automation: { holds: 'automation', among: ['field', 'chosen_id'] },
    field: { holds: 'chosen', among: ['automation', 'chosen_id'] },
  },
  plinth_calendar: { key: 'a hash of what the calendar says' },
  plinth_change: {
    resource: { holds: 'resource' },
    action: 'a word of the engine',
    request_id: { holds: 'listener' },
    changes: { holds: 'changed' },
    seen_by: { holds: 'kept' },
    source: { holds: 'automation' },
  },
  plinth_deferred_change: {
    listener: { holds: 'listener', among: ['change_id'] },
    resource: { holds: 'resource' },
    error: SAID,
  },
  plinth_fact: { name: 'a word of the engine or of a plugin', value: 'each fact is written anew by those who know it' },
  plinth_idempotency: {
    actor: 'an account or an address',
    route: 'the path that was asked for, which goes on under its earlier name',
    key: 'made by a client',
    fingerprint: 'a hash',
    rights: { holds: 'rights' },
    headers: SAID,
    body: SAID,
  },
  plinth_instance: {
    name: 'a machine and a process',
    version: 'a hash',
    rollout: 'made by the engine',
    answer: SAID,
    reason: SAID,
  },
  plinth_job: {
    name: 'a plugin and its job',
    payload: { holds: 'resource', form: 'map' },
    status: 'a word of the engine',
    owner: 'a process',
    dedupe: 'made by a plugin',
    runs_as: 'a word of the engine',
    result: SAID,
    error: SAID,
    reason: SAID,
  },
  plinth_listener: { name: { holds: 'listener', among: [] } },
  plinth_migration: {
    hash: 'a hash',
    steps: SAID,
    owned: 'tables and columns, which the migration itself carries',
    catalog: 'a hash',
    words: 'tables and columns, which the migration itself carries',
    names: 'tables and columns, which the migration itself carries',
  },
  plinth_seed: { resource: { holds: 'resource', among: ['key'] }, key: { holds: 'seed', among: ['resource'] } },
  plinth_step: {
    plan: 'a hash',
    title: SAID,
    cause: 'a word of the engine',
    instance: 'a machine and a process',
    error: SAID,
  },
  plinth_working_time: { calendar: 'a hash of what the calendar says' },
}

/** A column that holds names. */
export interface NameColumn {
  /** Its resource; undefined: it is the engine's own. */
  readonly resource: Resource | undefined
  readonly field?: Field
  readonly table: string
  readonly column: string
  readonly holds: Held
  /** One text; texts in a list of JSON; or JSON that has them under `resource` and `resources`. */
  readonly form: 'text' | 'list' | 'map'
  /** Of a column that is a key, or a part of one: the other parts. */
  readonly among?: readonly string[]
}

/** Every column that holds names: the engine's own, and those of the resources. */
export function nameColumns({ resources }: Catalog): readonly NameColumn[] {
  const engine = Object.entries(ENGINE_COLUMNS).flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([column, entry]): NameColumn[] =>
      typeof entry === 'string' ? [] : [{ form: 'text', ...entry, resource: undefined, table, column }],
    ),
  )
  const owners = [...resources.values()].filter(({ existing, name, owner }) => owner === name && !existing)
  const own = owners.flatMap((resource) =>
    [...resource.fields.values()].flatMap((field): NameColumn[] => {
      const { column, earlier, holds, type } = field
      if (holds === undefined || earlier !== undefined) return []
      const form = type.name === 'json' ? 'map' : type.name === 'list' ? 'list' : 'text'
      return [{ resource, field, table: resource.table, column, holds, form }]
    }),
  )
  return [...engine, ...own]
}
