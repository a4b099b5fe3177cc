/** `plinth explain 'GET /api/v1/tickets?status_id=1' --as agent@…`: the route, the rules with their places, and the SQL; with `--field`, why a field is there or not. */

import { type Execution, executionOf } from '../action/execution.ts'
import type { Question } from '../action/explain.ts'
import { type Explanation, explain } from '../action/explain.ts'
import { explainPart, type PartExplained } from '../action/explain-part.ts'
import { explainPlan } from '../action/explain-plan.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { type Actor, ANONYMOUS } from '../actor.ts'
import { type App, createEngine } from '../engine.ts'
import { ApiError, sentenceOf } from '../error.ts'
import { findRoute, questionOf } from '../http/question.ts'
import type { JsonObject } from '../json.ts'
import { isBegun, showDiagnostics } from './application.ts'
import { type ExitCode, type Invocation, lineOf } from './command.ts'
import { explainAutomation } from './explain-automation.ts'
import { explainListener } from './explain-listener.ts'
import { bodyOf, explainRuleOf } from './explain-rule.ts'

async function actorNamed(name: string | undefined, { composition }: App, call: Execution): Promise<Actor> {
  if (name === undefined) return ANONYMOUS
  const { identify } = composition
  if (identify === undefined) throw new Error('No plugin of this application knows people by name: leave --as out.')
  const actor = await identify.value(pluginContext(call, identify.options), name)
  if (actor === null) throw new Error(`There is nobody called ${name}.`)
  return actor
}

function verdictLine({ clause, place, speaks, reaches, follows }: Explanation['verdicts'][number]): string {
  const verdict = !speaks
    ? 'not about this caller'
    : reaches === undefined
      ? 'applies'
      : reaches
        ? 'applies, and holds'
        : 'applies, but its condition is false'
  const kept = follows.length === 0 ? '' : `; what it follows must not be deleted: ${follows.join(', ')}`
  return `    ${place}  ${clause}\n      → ${verdict}${kept}`
}

function ruleLine({ name, place, says, holds }: Explanation['rules'][number]): string {
  const verdict =
    holds === undefined ? 'judged by the write' : holds ? 'holds of what is stored' : 'what is stored breaks it'
  return `    ${place}  ${name}: ${says}\n      → ${verdict}`
}

function moveLine({ field, move, place, speaks }: Explanation['moves'][number]): string {
  return `    ${place}  ${field}: ${move}\n      → ${speaks ? 'is for this caller' : 'not for this caller'}`
}

function followLine({ entry, place, speaks }: Explanation['elsewhere'][number]): string {
  return `    ${place}  ${entry}\n      → ${speaks ? 'follows from a write of this caller, where its condition holds' : 'does not follow from a write of this caller'}`
}

function render({ policy, verdicts, rules: held, moves, elsewhere, statements, outcome }: Explanation): string {
  const rules = verdicts.length === 0 ? ['    there is none, so nobody may'] : verdicts.map(verdictLine)
  const sql = statements.map(
    ({ text, values }) => `    ${text.trim().replace(/\n\s*/g, '\n    ')}\n      → ${JSON.stringify(values)}`,
  )
  return [
    `  rules of ${policy}:`,
    ...rules,
    ...(held.length === 0 ? [] : ['  what must hold of the record:', ...held.map(ruleLine)]),
    ...(moves.length === 0 ? [] : ['  moves:', ...moves.map(moveLine)]),
    ...(elsewhere.length === 0 ? [] : ['  what follows in other records:', ...elsewhere.map(followLine)]),
    ...(sql.length === 0 ? [] : ['  statements:', ...sql]),
    `  outcome: ${outcome ?? 'the rules allow it; nothing was written'}`,
  ].join('\n')
}

function renderPart({ name, place, guards, outcome }: PartExplained): string {
  const lines = guards.map(
    ({ of, says, speaks }) =>
      `      ${of}: ${says}\n        → ${speaks ? 'is for this caller' : 'not for this caller'}`,
  )
  return ['  the field:', `    ${place}  ${name}`, ...lines, `      → ${outcome}`].join('\n')
}

/** The plan of the request, or why there is none. */
function planLines(around: Execution, question: Question, body: JsonObject | undefined): readonly string[] {
  try {
    return explainPlan(around, question, body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const mistakes = Object.entries(error.params.errors ?? {}).map(([name, said]) => `${name}: ${said.join('; ')}`)
    return [`refused before a plan is made: ${[error.message, ...mistakes].join(', ')}`]
  }
}

async function explainRequest({ positionals, options }: Invocation, app: App): Promise<string> {
  const { foundation } = app
  const found = findRoute(positionals[0] ?? '', app)
  const call = { requestId: 'explain', afterCommit: () => undefined }
  const name = typeof options.as === 'string' ? options.as : undefined
  const actor = await actorNamed(name, app, executionOf(foundation, { ...call, actor: ANONYMOUS }))
  const { route, pattern } = found
  const caller = actor.kind === 'anonymous' ? 'nobody who is signed in' : `${name}, ${actor.role ?? 'without a role'}`
  const head = `${route.method} ${pattern}: ${route.summary}\n  asked by ${caller}`
  const question = questionOf(found, actor)
  if (question === undefined) return `${head}\n  a route of the plugin ${route.plugin}, which judges the request itself`
  const around = executionOf(foundation, { ...call, actor })
  const field = typeof options.field === 'string' ? options.field : undefined
  const part = field === undefined ? [] : [renderPart(await explainPart(around, question, field))]
  const body = typeof options.set === 'string' ? bodyOf(options.set) : undefined
  const plan = planLines(around, question, body).map((line) => `    ${line}`)
  return [head, '  plan:', ...plan, render(await explain(around, question)), ...part].join('\n')
}

/** What explains that which an option names. */
const EXPLAINED = [
  ['automation', explainAutomation],
  ['listener', explainListener],
  ['rule', explainRuleOf],
] as const

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { settings, log, say, complain, commands, options, positionals } = invocation
  const asked = EXPLAINED.find(([option]) => options[option] !== undefined)
  if (asked === undefined && positionals.length === 0) {
    const line = commands.filter(({ name }) => name === 'explain').map(lineOf)
    complain(`plinth explain needs a request, or one of --automation, --listener and --rule. Use: ${line.join('')}`)
    return 2
  }
  if (!isBegun(invocation)) return 1
  try {
    const created = await createEngine({ settings, log, begin: false, joins: true })
    showDiagnostics(created, invocation)
    const engine = created.value
    if (engine === undefined) return 1
    try {
      const explained = asked?.[1] ?? explainRequest
      say(await explained(invocation, engine.app))
      return 0
    } finally {
      await engine.close()
    }
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}
