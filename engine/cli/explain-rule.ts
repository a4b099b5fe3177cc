/** `plinth explain --rule bookings.in_time --record 7 --set '{"ends_on": "2030-01-01"}'`: whether a rule holds of a record, and why. */
import { type Execution, executionOf } from '../action/execution.ts'
import { explainRule, type PartTold, type RuleTold } from '../action/explain-rule.ts'
import { SYSTEM } from '../actor.ts'
import type { RecordRule, Resource } from '../catalog/catalog.ts'
import type { App } from '../engine.ts'
import { ApiError } from '../error.ts'
import { isObject, type JsonObject } from '../json.ts'
import { INEXACT, inexactNumbers } from '../json-number.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import type { Invocation } from './command.ts'

/** The explanation as text; throws the sentence that says why there is none. */
export async function explainRuleOf({ options }: Pick<Invocation, 'options'>, app: App): Promise<string> {
  const { resource, rule } = ruleNamed(String(options.rule), app)
  if (options.record === undefined) throw new Error('Say which record is meant: --record 7.')
  const body = options.set === undefined ? undefined : bodyOf(String(options.set))
  const call = executionOf(app.foundation, { actor: SYSTEM, requestId: 'explain', afterCommit: () => undefined })
  return render(rule, body, await told(call, resource, rule, String(options.record), body))
}

async function told(
  call: Execution,
  resource: Resource,
  rule: RecordRule,
  record: string,
  body: JsonObject | undefined,
): Promise<RuleTold> {
  try {
    return await explainRule(call, resource, rule, record, body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const sentences = Object.values(error.params.errors ?? {}).flat()
    throw new Error([error.message, ...sentences].join('; '), { cause: error })
  }
}

/** The body that --set says; throws what is wrong with it. */
export function bodyOf(text: string): JsonObject {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // Told below.
  }
  const [inexact] = body === undefined ? [] : inexactNumbers(text, 1)
  if (inexact !== undefined) throw new Error(`--set: the ${inexact.join('.')} ${INEXACT}.`)
  if (isObject(body)) return body
  throw new Error(`--set takes the body of a request as JSON, such as '{"quantity": 3}'.`)
}

function ruleNamed(name: string, { catalog }: App): { readonly resource: Resource; readonly rule: RecordRule } {
  const [owner = '', ...rest] = name.split('.')
  const resource = catalog.resources.get(owner)
  const rule = resource?.rules.find((one) => one.name === rest.join('.') && one.parts.length > 0)
  if (resource !== undefined && rule !== undefined) return { resource, rule }
  const known = [...catalog.resources.values()].flatMap((one) =>
    one.rules.filter(({ parts }) => parts.length > 0).map((each) => `${one.name}.${each.name}`),
  )
  const near = nearest(name, known)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new Error(`There is no rule ${name} that says what must hold of one record; write <resource>.<name>.${hint}`)
}

function render(rule: RecordRule, body: JsonObject | undefined, explained: RuleTold): string {
  const { id, parts } = explained
  const as = body === undefined ? 'as it is stored' : `as ${JSON.stringify(body)} would make it`
  const lines = (of: PartTold['of']) => parts.filter((part) => part.of === of).flatMap(partLines)
  const when = lines('when')
  return [
    `rule ${rule.name}, ${placeOf(rule.span)}`,
    `  ${rule.says}`,
    ...(when.length === 0 ? [] : [`  when, of record ${id} ${as}:`, ...when]),
    `  must, of record ${id} ${as}:`,
    ...lines('must'),
    `  outcome: ${outcome(rule, body, explained)}`,
  ].join('\n')
}

function partLines({ holds, span, values }: PartTold): readonly string[] {
  const known = values.map(({ name, value }) => `${name} is ${value === null ? 'absent' : JSON.stringify(value)}`)
  const verdict = [holds ? 'holds' : 'does not hold', ...known].join('; ')
  return [`    ${placeOf(span)}  ${writtenAt(span)}`, `      → ${verdict}`]
}

function outcome({ at, on }: RecordRule, body: JsonObject | undefined, told: RuleTold): string {
  const judged = `the rule is judged on ${[...on].join(', ')}`
  if (body !== undefined && !told.concerned) return `the update changes nothing that the rule is judged for; ${judged}`
  if (!told.applies) return 'the rule does not speak of such a record'
  if (told.holds) return body === undefined ? 'the rule holds' : 'the rule lets the update pass'
  if (body === undefined) return `what is stored breaks the rule; ${judged}`
  return `the update would be refused, ${at === undefined ? '409' : `422 at ${at.name}`}`
}
