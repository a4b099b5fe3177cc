/** Hooks around one write: each an async function `(context, next)`, the innermost `next` writes. */
import type { Resource, WriteAction } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'
import type { HookContext } from './context.ts'
import type { Draft } from './draft.ts'
import type { BoundHook, Execution } from './execution.ts'
import type { Values } from './input.ts'

/** What hooks see and change of one write. */
export interface Written {
  readonly input: Values
  readonly extra: Readonly<Values>
  readonly record: Readonly<Record<string, Json>> | undefined
  /** The record as it would be written with the present input. */
  readonly draft: () => Promise<Draft>
  result: Readonly<Record<string, Json>> | undefined
}

/** The hooks of an action on a resource, in the order of the YAML. */
export function hooksOf(around: Execution, resource: Resource, action: WriteAction): readonly BoundHook[] {
  return resource.hooks[action].map((name) => around.hooks.get(name)!)
}

/** Runs the hooks around `write`, outermost first; a hook that never calls `next` has replaced the write. */
export async function runHooks(
  around: Execution,
  resource: Resource,
  action: WriteAction,
  hooks: readonly BoundHook[],
  written: Written,
  write: () => Promise<void>,
): Promise<void> {
  const step = async (index: number): Promise<void> => {
    const hook = hooks[index]
    if (hook === undefined) return write()
    let called = false
    await hook.run(hookContext(around, resource, action, hook, written), () => {
      if (called) throw new Error(`hook ${hook.name} called next() twice`)
      called = true
      return step(index + 1)
    })
  }
  await step(0)
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
