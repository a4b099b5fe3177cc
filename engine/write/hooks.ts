/** ⇄ Hooks around one write, each an async function `(context, next)`, and the draft that they judge: the record as it would be written. */

import type { Clause, Resource, WriteAction } from '../catalog/catalog.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import type { FieldValues } from '../record/decode.ts'
import type { HookContext } from '../run/context.ts'
import { type BoundHook, type Execution, runCompiled } from '../run/execution.ts'
import { valueSlots } from '../statement/compiled.ts'
import { compileDraft } from '../statement/write.ts'

/** Settles as `inner` does. Nobody who forgets it ends the process by a rejection that nobody handles. */
class Onward extends Promise<undefined> {
  /** Whether it was awaited, returned or handed on. */
  heard = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of(inner: Promise<void>): Onward {
    const onward = new Onward((resolve, reject) => {
      inner.then(() => resolve(undefined), reject)
    })
    // Marks a rejection as handled, long before anybody asks for the end.
    void onward.ended()
    return onward
  }

  /** Resolves when it has settled, however; nobody who asks for that has waited for it in the hook's place. */
  ended(): Promise<void> {
    return super.then(
      () => undefined,
      () => undefined,
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: how `await` reaches a promise is what is looked for
  override then<R = undefined, E = never>(
    done?: ((value: undefined) => R | PromiseLike<R>) | null,
    failed?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    this.heard = true
    return super.then(done, failed)
  }
}

/** What hooks see and change of one write. */
export interface Written {
  readonly input: FieldValues
  readonly extra: Readonly<FieldValues>
  readonly record: Readonly<Record<string, Json>> | undefined
  /** The record as it would be written with the present input. */
  readonly draft: () => Promise<DraftRecord>
  result: Readonly<Record<string, Json>> | undefined
}

/** Runs the hooks around `write`, outermost first, and gives what it gave; undefined when a hook never called `next` and so replaced it. */
export async function runHooks<T>(
  around: Execution,
  resource: Resource,
  action: WriteAction,
  hooks: readonly BoundHook[],
  written: Written,
  write: () => Promise<T>,
): Promise<T | undefined> {
  let outcome: T | undefined
  const step = async (index: number): Promise<void> => {
    const hook = hooks[index]
    if (hook === undefined) {
      outcome = await write()
      return
    }
    let onward: Onward | undefined
    const next = (): Promise<void> => {
      if (onward !== undefined) throw new Error(`hook ${hook.name} called next() twice`)
      onward = Onward.of(step(index + 1))
      return onward
    }
    try {
      await hook.run(hookContext(around, resource, action, hook, written), next)
    } finally {
      // What it began and did not wait for must not go on behind the end of the transaction.
      if (onward !== undefined) await onward.ended()
    }
    refuseForgotten(hook, action, onward)
  }
  await step(0)
  return outcome
}

/** Throws on an author's slip and names the hook: the caller gets 500, and the transaction is undone. */
function refuseForgotten({ name }: BoundHook, action: WriteAction, onward: Onward | undefined): void {
  if (onward !== undefined && !onward.heard) {
    throw new Error(`hook ${name} called next() without waiting for it: write \`await next()\``)
  }
  if (onward === undefined && action === 'create') {
    throw new Error(
      `hook ${name} never called next(), so there is no record to answer: write \`await next()\`, or refuse by an ApiError`,
    )
  }
}

function hookContext(
  around: Execution,
  resource: Resource,
  action: WriteAction,
  hook: BoundHook,
  written: Written,
): HookContext {
  return {
    ...around.contextOf(around, hook.options),
    action,
    resource,
    input: written.input,
    extra: written.extra,
    record: written.record,
    bulk: around.bulk,
    draft: async () => written.result ?? written.draft(),
    get result() {
      return written.result
    },
    get transaction() {
      if (around.transaction === undefined)
        throw new Error(`hook ${hook.name} declares that it needs no transaction, and asks for one`)
      return around.transaction
    },
    afterCommit: around.afterCommit,
  }
}

export type DraftRecord = Readonly<Record<string, Json>>

/** What is known of a write before it runs. */
export interface Drafting {
  readonly resource: Resource
  /** The record's id; undefined for one to come. */
  readonly id: Id | undefined
  /** The clauses under which the write is allowed, in order. */
  readonly clauses: readonly (Clause | undefined)[]
  /** The values that hooks have left so far, completed. */
  readonly values: () => Promise<Readonly<FieldValues>> | Readonly<FieldValues>
  readonly plan: (values: Readonly<FieldValues>, clause: Clause | undefined) => WritePlan
}

/** A function that gives the draft of a write. It reads the draft again only when the input has changed. */
export function drafts(
  around: Execution,
  input: Readonly<FieldValues>,
  drafting: Drafting,
): () => Promise<DraftRecord> {
  let seen: { readonly key: string; readonly draft: Promise<DraftRecord> } | undefined
  return () => {
    const key = JSON.stringify(input)
    if (seen?.key !== key) seen = { key, draft: readDraft(around, drafting) }
    return seen.draft
  }
}

/** The draft under the first clause that admits it, as the write itself takes it; under the last one when none does. */
async function readDraft(around: Execution, drafting: Drafting): Promise<DraftRecord> {
  const { clauses, id, resource } = drafting
  const values = await drafting.values()
  let draft: DraftRecord = {}
  for (const clause of clauses.length === 0 ? [undefined] : clauses) {
    const compiled = around.statements.get(compileDraft, around, drafting.plan(values, clause))
    const [row] = await runCompiled(around, compiled, { ...valueSlots(resource, values), id })
    if (row === undefined) return draft
    draft = JSON.parse(compiled.serialize(row)) as DraftRecord
    if (row[0] === 't') return draft
  }
  return draft
}
