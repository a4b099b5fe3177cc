/** ⇄ One batch of rows: cut from the file, judged as far as that needs no writing, then written. */
import type { FieldErrors, Id, PluginContext, Resource } from '../../engine/index.ts'
import { type Entry, entryOf } from './entry.ts'
import { keepAhead, takenKeys } from './keys.ts'
import type { Column } from './layout.ts'
import { matchNames } from './match.ts'
import type { Cell, Outcome, RowErrors } from './outcome.ts'
import { madeKey, nameParents } from './parents.ts'
import { rowsOf, type Sheet } from './parse.ts'

/** Rows in one transaction: PostgreSQL keeps up to 64 savepoints of a transaction in fast memory. */
const BATCH = 50

/** A file on its way into a resource. */
export interface Import {
  readonly context: PluginContext
  readonly resource: Resource
  readonly sheet: Sheet
  /** Keys of rows that were written, or would have been. */
  readonly seen: Set<string>
  /** What was created because rows name it, `customers ann@desk.example`, with its id; on a dry run with none. */
  readonly made: Map<string, Id | undefined>
}

/** A batch before it is written: the entries that can be, and what became of the others. */
export interface Judged {
  readonly good: readonly Entry[]
  readonly skipped: number
  readonly errors: readonly RowErrors[]
}

/** The rows after the first `done` in batches; equal for equal files, so that an import can go on where it was. */
export async function* batchesOf(sheet: Sheet, done: number): AsyncGenerator<readonly Entry[], void> {
  let batch: Entry[] = []
  let left = done
  for await (const row of rowsOf(sheet)) {
    if (left-- > 0) continue
    const entry = entryOf(sheet, row)
    // The second row of a key is judged when the first has been written.
    if (batch.length === BATCH || (entry.key !== null && batch.some(({ key }) => key === entry.key))) {
      yield batch
      batch = []
    }
    batch.push(entry)
  }
  if (batch.length > 0) yield batch
}

/** Finds what the entries name, and which of them are there already or can't be written. */
export async function judge(work: Import, batch: readonly Entry[]): Promise<Judged> {
  const { context, resource, seen, sheet } = work
  const taken = await takenKeys(context, resource, sheet, batch)
  const fresh = batch.filter(({ key }) => key === null || !(taken.has(key) || seen.has(key)))
  await matchNames(context, sheet.columns.keys(), fresh)
  nameParents(context, sheet, work.made, fresh)
  const isGood = ({ errors }: Entry): boolean => Object.keys(errors).length === 0
  const good = fresh.filter(isGood)
  if (!sheet.options.dryRun) await keepAhead(context, resource, sheet, good)
  const errors = fresh.filter((entry) => !isGood(entry)).map((entry) => refused(sheet, entry, entry.errors))
  return { good, skipped: batch.length - fresh.length, errors }
}

/** Writes a judged batch through `context`, in its transaction where it has one; rejects when the database fails. */
export async function write(
  { made, resource, seen, sheet }: Import,
  context: PluginContext,
  { good, skipped, errors }: Judged,
): Promise<Outcome> {
  const { dryRun } = sheet.options
  const outcomes = good.length === 0 ? [] : await context.records(resource.name).createEach(good, { dryRun })
  const ids: Id[] = []
  const failed: RowErrors[] = [...errors]
  const created: Record<string, { count: number; names: string[] }> = {}
  let imported = 0
  outcomes.forEach((outcome, at) => {
    const entry = good[at]!
    if ('error' in outcome)
      failed.push(refused(sheet, entry, outcome.error.params.errors ?? { row: [outcome.error.message] }))
    else {
      imported++
      if (entry.key !== null) seen.add(entry.key)
      if (!dryRun) ids.push(outcome.record.id as Id)
      for (const parent of entry.parents) {
        const id = outcome.made[parent.field]
        if (id === undefined || made.has(madeKey(parent))) continue
        made.set(madeKey(parent), dryRun ? undefined : id)
        const sum = created[parent.resource] ?? { count: 0, names: [] }
        created[parent.resource] = sum
        sum.count++
        sum.names.push(parent.name)
      }
    }
  })
  return { imported, skipped, failed: failed.length, ids, errors: failed, created }
}

function speaksOf({ field, intake }: Column, name: string | undefined): boolean {
  return field.name === name || (intake.kind === 'words' && intake.fields.some((one) => one.name === name))
}

/** Characters of a cell that are shown with its error. */
const TOLD_LENGTH = 100

/** What the report says of a row that is not written. */
export function refused(sheet: Sheet, { key, line, said, texts }: Entry, found: FieldErrors): RowErrors {
  const errors = Object.fromEntries(Object.entries(found).map(([name, sentences]) => [name, said[name] ?? sentences]))
  const cells: Record<string, Cell> = {}
  for (const name of Object.keys(errors)) {
    const [own] = name.split('.')
    const column = [...texts.keys()].find((one) => speaksOf(one, own))
    const at = column && sheet.columns.get(column)
    if (column === undefined || at === undefined) continue
    cells[name] = {
      column: sheet.titles[at] ?? column.title,
      value: [...texts.get(column)!].slice(0, TOLD_LENGTH).join(''),
    }
  }
  return { row: line, uid: key, errors, cells }
}
