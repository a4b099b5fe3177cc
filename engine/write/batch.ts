/** ⇄ Several writes in one transaction: all of them or none, or each for itself. */
import { ApiError, invalid, isRefusal } from '../error.ts'
import type { FieldErrors } from '../field-error.ts'
import { attempt, type Execution, inTransaction, tryOut, type Within } from '../run/execution.ts'

/** One write; `place` is how the request calls it, `update.3`. It gives the record as JSON text where there is one. */
export interface Operation {
  readonly place: string
  /** All are sent the same, so that what is wrong with it for each of them is told once, without a place. */
  readonly alike?: true
  readonly run: (inner: Execution) => Promise<string | undefined>
}

/** Does the first operations at once where that is possible, and gives as many texts; none where it is not. */
export type AtOnce = (inner: Within) => Promise<readonly string[]>

/** What became of an operation. */
export type Outcome = { readonly text: string | undefined } | { readonly error: ApiError }

/**
 * Does all of them, in order, or none: throws validation_failed with what is wrong with each of them, its keys below the
 * places, or the refusal itself where all are refused with the same other code.
 */
export function runTogether(
  around: Execution,
  operations: readonly Operation[],
  atOnce: AtOnce = async () => [],
): Promise<readonly (string | undefined)[]> {
  return inTransaction(around, async (inner) => {
    try {
      // Without a savepoint for each: what is refused undoes all of them, and only then is each tried by itself.
      return await attempt(inner, async (all) => {
        const texts: (string | undefined)[] = [...(await atOnce(all))]
        for (const { run } of operations.slice(texts.length)) texts.push(await run(all))
        return texts
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      throw refusalOf(operations, await tryOut(inner, (all) => doEach(all, operations))) ?? error
    }
  })
}

/** Does each of them for itself, in order; rejects when the database fails, and then none of them is kept. */
export function runEach(
  around: Execution,
  operations: readonly Operation[],
  atOnce: AtOnce = async () => [],
): Promise<readonly Outcome[]> {
  return inTransaction(around, async (inner) => {
    const done = (await atOnce(inner)).map((text): Outcome => ({ text }))
    return [...done, ...(await doEach(inner, operations.slice(done.length)))]
  })
}

async function doEach(inner: Within, operations: readonly Operation[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { run } of operations) {
    try {
      outcomes.push({ text: await attempt(inner, run) })
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefusal(error)) throw error
      outcomes.push({ error })
    }
  }
  return outcomes
}

/** The refusal of all for what is wrong with some; undefined when nothing is wrong any more. */
function refusalOf(operations: readonly Operation[], outcomes: readonly Outcome[]): ApiError | undefined {
  const refused = outcomes.flatMap((outcome, at) =>
    'error' in outcome ? [{ place: operations[at]?.place ?? '', error: outcome.error }] : [],
  )
  const [first] = refused
  if (first === undefined) return undefined
  const { code, message } = first.error
  if (code !== 'validation_failed' && refused.every(({ error }) => error.code === code))
    return new ApiError(code, { ...first.error.params, message: `${first.place}: ${message}`, label: labelled(first) })
  const common = operations.every(({ alike }) => alike) ? commonErrors(operations.length, refused) : {}
  return invalid(Object.assign({}, common, ...refused.map((one) => errorsOf(one, common))) as FieldErrors)
}

interface Refused {
  readonly place: string
  readonly error: ApiError
}

/** What is said of a field for every one of them, in the same words. */
function commonErrors(all: number, refused: readonly Refused[]): FieldErrors {
  const [first, ...others] = refused
  if (first === undefined || refused.length < all) return {}
  const isSaidOf = (name: string, sentences: FieldErrors[string]): boolean =>
    others.every(({ error }) => error.params.errors?.[name]?.join() === sentences.join())
  return Object.fromEntries(
    Object.entries(first.error.params.errors ?? {}).filter(([name, sentences]) => isSaidOf(name, sentences)),
  )
}

/** `record_not_found` makes its sentence from a label. */
function labelled({ place, error }: Refused): string {
  return `${place}: ${error.params.label ?? ''}`
}

function errorsOf({ place, error }: Refused, common: FieldErrors): FieldErrors {
  const errors = Object.entries(error.params.errors ?? {})
  if (errors.length === 0) return { [place]: [error.message] }
  const own = errors.filter(([name]) => !Object.hasOwn(common, name))
  return Object.fromEntries(own.map(([name, sentences]) => [`${place}.${name}`, sentences]))
}
