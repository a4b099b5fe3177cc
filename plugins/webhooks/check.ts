/** The hook `webhooks.check`: a webhook has a valid address, known events, and a condition that fits them. */
import {
  type FieldError,
  type FieldErrors,
  fieldError,
  type HookContext,
  invalid,
  isObject,
  type Json,
  type Next,
} from '../../engine/index.ts'
import { ForbiddenAddress, hostOf, reachable, resolveByName, writtenWrong } from './address.ts'
import { heardBy, heardByAll, unknownEvent } from './events.ts'
import { optionsOf } from './options.ts'

/** Runs around the creation and every change of a webhook. */
export async function check(context: HookContext, next: Next): Promise<void> {
  const { input } = context
  const errors: Record<string, FieldErrors[string]> = {}
  if (typeof input.address === 'string') {
    const wrong = await wrongAddress(context, input.address)
    if (wrong !== undefined) errors.address = [wrong]
  }
  if (input.events !== undefined || input.where !== undefined) {
    const { events, where } = await context.draft()
    Object.assign(errors, wrongEvents(context, textsOf(events)))
    if (errors.events === undefined) Object.assign(errors, wrongCondition(context, textsOf(events), where ?? null))
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  await next()
}

/** The texts of a list in a record. */
export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

async function wrongAddress({ options }: HookContext, address: string): Promise<FieldError | string | undefined> {
  const own = optionsOf(options)
  const wrong = writtenWrong(address, own)
  if (wrong !== undefined) return wrong
  try {
    await reachable(hostOf(new URL(address)), own, resolveByName)
    return undefined
  } catch (error) {
    if (error instanceof ForbiddenAddress) return `The address cannot be used: ${error.message}`
    return 'The address cannot be found: no name server knows its host'
  }
}

function wrongEvents({ catalog }: HookContext, events: readonly string[]): FieldErrors {
  const wrong = events.filter((event) => heardBy(catalog, event).size === 0)
  return wrong.length === 0 ? {} : { events: wrong.map((event) => unknownEvent(catalog, event)) }
}

/** A condition applies to the records of every named resource, so each must have its fields. */
function wrongCondition(context: HookContext, events: readonly string[], where: Json): FieldErrors {
  if (!isObject(where)) return {}
  const errors: Record<string, FieldError[]> = {}
  const names = [...heardByAll(context.catalog, events).keys()]
  for (const name of names) {
    for (const { at, fault = 'invalid', hint, message } of context.condition(name, where).problems ?? []) {
      const place = ['where', ...at].join('.')
      const known = errors[place] ?? []
      errors[place] = [...known, fieldError(fault, hint === undefined ? message : `${message} (${hint})`)]
    }
  }
  return errors
}
