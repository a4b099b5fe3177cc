/** The budget of templates: processor time, memory on the way, and output. */
import { createContext, Script } from 'node:vm'
import { LIMITS } from '../../engine/index.ts'

/** Numbers of LIMITS, narrowed by the application. */
export interface TemplateLimits {
  readonly templateMs: number
  readonly templateMemory: number
  readonly templateBytes: number
}

/** The rest for the templates of one request or one mail; it changes during the work. */
export interface Budget {
  readonly limits: TemplateLimits
  ms: number
  memory: number
  bytes: number
}

/** Thrown when templates exceed the budget; its message continues "The text". */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'
}

/** A whole budget. `given`: the characters of values to put out, in addition to the template's own. */
export function templateBudget(limits: Partial<TemplateLimits> = {}, given = 0): Budget {
  const { templateBytes, templateMemory, templateMs } = { ...LIMITS, ...limits }
  const own = { templateBytes, templateMemory, templateMs }
  return { limits: own, ms: templateMs, memory: templateMemory + given, bytes: templateBytes + given }
}

const CALL = new Script('work()')
const holder = createContext({ work: (): unknown => undefined })
/** How often work is repeated that the machine, and not the work itself, held up. */
const STALLS = 20

/**
 * The result of `work`, which must have no effects; throws OverBudget when it takes more processor time than is left.
 * V8 stops it anywhere, also inside a regular expression, where Liquid does not check its own limit.
 */
export function withinBudget<T>(budget: Budget, work: () => T): T {
  if (budget.ms === Number.POSITIVE_INFINITY) return work()
  for (let stalls = 0; ; stalls += 1) {
    if (budget.ms <= 0) throw tooLong(budget)
    const { bytes, memory, ms } = budget
    const before = process.cpuUsage()
    try {
      holder.work = work
      return CALL.runInContext(holder, { timeout: Math.ceil(ms) })
    } catch (error) {
      if (!isTimeout(error)) throw error
      if (usedSince(before) > ms / 2 || stalls >= STALLS) throw tooLong(budget)
      Object.assign(budget, { bytes, memory })
    } finally {
      budget.ms -= usedSince(before)
      holder.work = () => undefined
    }
  }
}

function usedSince(before: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1_000
}

/** The error is from the context's own realm, so it is no Error of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

function tooLong({ limits }: Budget): OverBudget {
  return new OverBudget(`takes more than ${limits.templateMs} ms of the processor to be filled in`)
}

/** Counts the output of a template. */
export function spendBytes(budget: Budget, text: string): void {
  budget.bytes -= Buffer.byteLength(text)
  if (budget.bytes < 0)
    throw new OverBudget(`becomes longer than ${budget.limits.templateBytes / 1_024} KB when it is filled in`)
}

/** Counts what Liquid counts: characters, and elements of lists. */
export function spendMemory(budget: Budget, count: number): void {
  if (!(count > 0)) return
  budget.memory -= count
  if (budget.memory < 0) throw new OverBudget('makes too much on the way to be filled in')
}
