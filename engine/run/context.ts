/** What hooks and handlers hold while one action runs: the call, its record, and the ways to other records. */
import type { QueryBuilder } from 'objection'
import type { Actor } from '../actor.ts'
import type { Catalog, Filter, Resource, WriteAction } from '../catalog/catalog.ts'
import type { Connection, Database, Row, Transaction } from '../database/database.ts'
import type { ApiError } from '../error.ts'
import type { FieldErrors } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { StoredRow } from '../record/model.ts'
import type { Settings } from '../settings.ts'
import type { Findings, Related, Sighting, Survey, Surveyed } from '../statement/many-records.ts'
import type { ReadCondition } from '../statement/written-condition.ts'
import type { AnyRecord, RecordTypes, TypesOf } from './resource-types.ts'

/** `meta.pagination` of a list; null where a cursor leaves numbers open. */
export type Pagination = ListResult['pagination']

/** What becomes of one of several records that are to be created. */
export type Creation =
  | {
      readonly record: JsonObject
      /** The ids of the records that were created before it, by its fields. */
      readonly made: Readonly<Record<string, Id>>
    }
  | { readonly error: ApiError }

/** One of several records that are to be created. */
export interface CreationEntry {
  readonly input: JsonObject
  readonly fixed?: JsonObject
  /** Records that it belongs to, created before it and not at all when it is refused. */
  readonly parents?: readonly ParentEntry[]
  /** Bodies of records that belong to it, by its has_many relations: created after it, all or none. */
  readonly children?: Readonly<Record<string, readonly JsonObject[]>>
}

export interface CreateEachOptions {
  /** Nothing is kept. */
  readonly dryRun?: boolean
  /** A record is told by its id alone, which costs less. */
  readonly only?: 'id'
}

export interface ParentEntry {
  /** The field of the record that will hold its id. */
  readonly field: string
  readonly resource: string
  /** Of those with the same name, one is created for all that name it. */
  readonly name: string
  readonly input: JsonObject
  readonly fixed?: JsonObject
}

/** The record above a new one, as a nested path names it: by the belongs_to relation of the new one. */
export interface Below {
  readonly relation: string
  readonly id: Id
}

export interface UpdateOptions {
  /** Decoded values of fields that callers cannot write, where the program itself has to say them. */
  readonly fixed?: JsonObject
  /** An `If-Match` header: throws stale_version unless it names the record as the actor would read it now. */
  readonly ifMatch?: string | undefined
}

/** Another resource's records, through the same pipeline as a client's: validation, policies, hooks. */
export interface Records<T extends RecordTypes = AnyRecord> {
  /** `query` as a client would write it, `{ status_id: '1,2', per_page: '50' }`. */
  list(
    query?: Readonly<Record<string, string>>,
  ): Promise<{ readonly data: readonly T['item'][]; readonly total: number | null; readonly pagination: Pagination }>
  /**
   * The record of an id or another lookup. A number is taken for the id where it can be one. Throws ApiError
   * record_not_found or forbidden.
   */
  get(lookup: string | number): Promise<T['record']>
  /**
   * A record that the program itself has written or found for the actor, as the actor reads it, whether or not the policy
   * `view` reaches it; throws record_not_found.
   */
  shown(id: Id): Promise<T['record']>
  /**
   * Every record of a list, as batches of rows: the text of each column (`subject`, `status.name`) as answers write it,
   * null where it is absent or not for this actor. Filters, search and sort as `list`, without pages. Reads by key, so
   * that no connection is held between batches and memory stays the same however long the list is.
   */
  rows(columns: readonly string[], query?: Iterable<readonly [string, string]>): AsyncGenerator<readonly Row[], void>
  /** The same rows as what `write` makes of each, which it may change, in UTF-8 and in pieces of some 64 KB: for a file, at less than half the cost. */
  texts(
    columns: readonly string[],
    query: Iterable<readonly [string, string]>,
    write: (row: (string | null)[]) => string,
  ): AsyncGenerator<Buffer, void>
  /** The ids of records within reach by the texts, in lower case, that their values look like (`nameText`), for those of `texts` that are found; lowest first. */
  idsOf(field: string, texts: readonly string[]): Promise<ReadonlyMap<string, readonly Id[]>>
  /** Those of the values of a stored field that a record has already, a deleted one too, and whether the actor may see it or not. */
  valuesTaken(field: string, values: readonly string[]): Promise<ReadonlySet<string>>
  /** `fixed`: decoded values of fields that callers cannot write, where the program itself has to say them. */
  create(input: T['create'], fixed?: JsonObject, below?: Below): Promise<T['record']>
  /**
   * What is wrong with values that a record is to get later, by field; empty when nothing is: whether each fits its field and
   * names what the actor may choose. Nothing is asked of a record: its policy, rules and moves are judged by the write.
   */
  check(action: 'create' | 'update', input: T['create'] | T['update']): Promise<FieldErrors>
  /**
   * Creates several in one transaction, each behind a savepoint, so that one that is refused takes none of the others
   * with it. Where nothing concerns each record alone, one statement creates many.
   */
  createEach(entries: readonly CreationEntry[], options?: CreateEachOptions): Promise<readonly Creation[]>
  update(lookup: string | number, input: T['update'], options?: UpdateOptions): Promise<T['record']>
  delete(lookup: string | number): Promise<void>
  restore(lookup: string | number): Promise<T['record']>
  /** The id of a deleted record that the actor may restore; refuses as `restore` does, and what is not deleted as absent. */
  restorable(lookup: Id): Promise<Id>
}

/**
 * The rows of a table as Objection reads and writes them: no policies, no scope, no hooks, no validation. Relations have
 * their names of the YAML, and the modifier `live` leaves deleted rows out:
 *
 *     model('users').query().modify('live').findOne({ email }).castTo<Account | undefined>()
 *     model('users').query().alias('u').joinRelated('role(live)').where('role.slug', 'admin').resultSize()
 */
export interface Rows {
  query(): QueryBuilder<StoredRow>
}

/** When a job runs, as whom, and with which others it is the same. */
export interface EnqueueOptions {
  /** Not before this moment; at once if absent. */
  readonly runAt?: Date
  /** Its id, a UUID, where something is stored under it before the job can be seen; made if absent. */
  readonly id?: string
  /** While a job of this name and key waits, no second one is added; the one that waits will see what this transaction writes. */
  readonly dedupe?: string
  /** `system` (default), or `actor`: who enqueues it, with the rights they have when it runs. */
  readonly as?: 'system' | 'actor'
  /**
   * Adds the job at once, outside the open transaction, so that it stays if that is rolled back: for mails about a refused
   * write. The embedded database has one connection, which an open transaction holds: there it is added when that ends,
   * and with `dedupe` the id may be that of no job, because one waits already.
   */
  readonly outsideTransaction?: boolean
}

/** When many jobs run, and as whom. */
export type EnqueueEachOptions = Pick<EnqueueOptions, 'runAt' | 'as' | 'outsideTransaction'>

/** A job among several that are added at once. */
export interface Entry {
  readonly payload: JsonObject
  /** Its id, a UUID: while the queue knows a job of this id, also one that is done, it is not added again. Made if absent. */
  readonly id?: string
}

/** What every plugin function can reach: data, never the app. */
export interface PluginContext {
  readonly actor: Actor
  /** Who began it: the same as `actor`, except where a write as the system follows from somebody's own. */
  readonly caller: Actor
  readonly catalog: Catalog
  readonly settings: Settings
  /** The id of this application, made once and kept in its database: who owns what is stored outside of it. */
  readonly instance: string
  /** The options of the plugin that contributed the function, from app.yaml, with defaults. */
  readonly options: JsonObject
  readonly log: Logger
  readonly now: () => Date
  readonly requestId: string
  /**
   * Whether all of this is taken back in the end, because somebody asked what a write would do. Rows and jobs are taken
   * back by themselves; what a function does outside of the transaction it leaves out.
   */
  readonly dryRun: boolean
  /** Records as the actor (default) or as the system, inside the open transaction where there is one. */
  records<Name extends string>(resource: Name, as?: 'actor' | 'system'): Records<TypesOf<Name>>
  /**
   * The rows of a resource's table, for what `records` cannot say, inside the open transaction where there is one, or
   * `on` the transaction that is named; on `database` they are written outside the open transaction, and remain when that
   * is rolled back.
   */
  model(resource: string, on?: Pick<Database, 'knex'>): Rows
  /**
   * The SQL condition under which the row of `alias`, from the table of `resource`, is a record that the actor may read:
   * in scope, not deleted (unless `deleted` admits those too), within the policy `view`. Pushes its parameters on
   * `values`, where `$n` finds them. With `as` it is what that actor may read.
   */
  readable(
    resource: string,
    alias: string,
    values: unknown[],
    options?: { readonly deleted?: boolean; readonly as?: Actor },
  ): string
  /**
   * The SQL condition under which the actor's policy `view` holds for values of a record that were kept: `kept` is a jsonb
   * expression with the names that `policyPaths` gives. A condition on a value that was not kept does not hold.
   */
  keptWithin(resource: string, kept: string, values: unknown[]): string
  /**
   * Reads a condition on the records of a resource that somebody wrote while the application runs, in the words of the
   * YAML's filters. What the actor may not read cannot be asked for. Gives the condition, or what is wrong with it and where.
   */
  condition(resource: string, written: Json): ReadCondition
  /** The SQL condition that the row of `alias` is as a condition of `condition()` asks. Pushes its parameters on `values`. */
  matching(condition: Filter, alias: string, values: unknown[]): string
  /**
   * The same context as the account of this id: `records` and `readable` show what it may see by now. Null when there is
   * no account of that id that may sign in. For work that a person asked for and that is done later.
   */
  as(account: number): Promise<PluginContext | null>
  /**
   * For records that were written by SQL of your own: tells listeners and streams that they were created, or with `from`
   * updated, where it holds what the changed fields were before, the same for all of them: `{ read_at: null }`. Part of
   * the open transaction where there is one; nothing without listeners.
   */
  logWrites(resource: string, ids: readonly Id[], from?: JsonObject): Promise<void>
  /**
   * For records that SQL of your own removes for good right after it, in the same transaction: what goes with them by
   * `on_delete` is written as if each were deleted, with its rules, hooks, `follows` and log. Throws ApiError conflict where
   * one is refused.
   */
  letGo(resource: string, ids: readonly Id[]): Promise<void>
  readonly database: Database
  /**
   * Where SQL of your own runs: in the open transaction where there is one, else on an ordinary connection. The embedded
   * database has a single one, so a call of `database` inside of a transaction would wait for itself.
   */
  readonly connection: Connection
  /**
   * Leaves work for later, `enqueue('mail.send', { to })`, and gives the job's id: a row of the open transaction where
   * there is one, so that it runs when that has committed and never otherwise. It survives a crash and runs once.
   */
  enqueue(job: string, payload: JsonObject, options?: EnqueueOptions): Promise<string>
  /** Leaves several jobs of one name, by one statement. */
  enqueueEach(job: string, entries: readonly Entry[], options?: EnqueueEachOptions): Promise<void>
  /** The accounts of these ids that may sign in by now, as actors; none where no plugin knows accounts. */
  actorsOf(accounts: readonly number[]): Promise<readonly Actor[]>
  /**
   * The live records to which a path of relations (`assignedTo`, `organization.members`) leads from each record,
   * whatever the actor sees. The relations are to-one, and the last one may lead to many. One statement.
   */
  related(resource: string, path: string, records: readonly Id[]): Promise<readonly Related[]>
  /**
   * What readers see of records: for each pair the values of the paths (`subject`, `assignedTo.name`) as the reader's own
   * policies and guards allow, null where it may not read one; undefined where it may not see the record. A value of another
   * record is seen where answers embed it, or where the reader may see that record. One statement.
   */
  sightings(
    resource: string,
    paths: readonly string[],
    pairs: readonly Sighting[],
  ): Promise<readonly (readonly Json[] | undefined)[]>
  /**
   * Findings about records, whatever the actor sees: which conditions hold, to which live records ways lead, and values of
   * paths; undefined for a record that is not there any more. A way over many records of the same kind leads to those
   * before it. One statement.
   */
  survey(resource: string, asked: Survey, records: readonly Surveyed[]): Promise<readonly (Findings | undefined)[]>
}

/**
 * One write on its way. A hook may change `input` before `next()`, read `record` and `result` after,
 * refuse by throwing ApiError, and leave what must happen outside the database to `afterCommit`.
 */
export interface HookContext extends PluginContext {
  readonly action: WriteAction
  readonly resource: Resource
  /**
   * What the caller asks to write, decoded, by field name (foreign keys as `status_id`); on update only what changes.
   * What is left out may still be filled by a default or a rule: to judge a value, read `draft()`.
   */
  readonly input: Record<string, Json>
  /**
   * The record as it would be written with the present `input`, by field name. It has the values that the clause and
   * the resource set, the defaults (also records that a condition selects) and made slugs; on update it is the stored
   * record with its changes. The id and sequences of a record to come are null. One statement when it is first asked
   * for, none while `input` stays.
   */
  draft(): Promise<Readonly<Record<string, Json>>>
  /** The body as the client sent it, trimmed but with keys that are no fields of the resource (declared by the hook's `input`). */
  readonly extra: Readonly<Record<string, Json>>
  /** The stored record before the action, by field name, secrets included; undefined on create. */
  readonly record: Readonly<Record<string, Json>> | undefined
  /** The stored record after `next()`, by field name; undefined before, and after a hard delete. */
  readonly result: Readonly<Record<string, Json>> | undefined
  readonly transaction: Transaction
  /** Whether this is one of many records that are written at once, as an import does: people do not want a mail for each. */
  readonly bulk: boolean
  /** Runs when the transaction has committed; a failure there is logged and never undoes the action. */
  afterCommit(work: () => Promise<void> | void): void
}

export type Next = () => Promise<void>
export type Hook = (context: HookContext, next: Next) => Promise<void>

/** One page as JSON texts; the numbers of `meta.pagination`, null where cursors leave them open. */
export interface ListResult {
  readonly items: readonly string[]
  /** The id of each record with what was asked of it; undefined: nothing was. */
  readonly can?: readonly Row[] | undefined
  /** The corrected words and the matches of a search; undefined without a search. */
  readonly search: SearchResult | undefined
  readonly pagination: {
    readonly current_page: number | null
    readonly per_page: number
    readonly total: number | null
    readonly last_page: number | null
    readonly from: number | null
    readonly to: number | null
    readonly next_cursor: string | null
    /** Present, and false, only where the total is capped or estimated. */
    readonly total_exact?: false
  }
}

/** `meta.search`. */
export interface SearchResult {
  /** Asked words that no record has, with those that were searched for instead. */
  readonly corrected?: Readonly<Record<string, string>>
  /** For each record of the page the fields that have words of the search, and on request a piece of each as HTML. */
  readonly matches?: readonly {
    readonly id: Id
    readonly fields: readonly string[]
    readonly snippets?: Readonly<Record<string, string>>
  }[]
}
