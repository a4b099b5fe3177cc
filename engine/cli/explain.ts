/** `plinth explain 'GET /api/v1/tickets?status_id=1' --as agent@…`: the route, the rules with their places, and the SQL; with `--field`, why a field is there or not. */

import { readFile } from 'node:fs/promises'
import { type Actor, ANONYMOUS, SYSTEM } from '../actor.ts'
import { pluginContext } from '../context/plugin-context.ts'
import { type App, createEngine } from '../engine.ts'
import { ApiError, fileReason, sentenceOf } from '../error.ts'
import { automationReport } from '../explain/automation-report.ts'
import { explainField, fieldReport } from '../explain/field-report.ts'
import { listenerReport } from '../explain/listener-report.ts'
import { planFindings } from '../explain/plan-report.ts'
import { render } from '../explain/render.ts'
import { explainRequest, requestReport } from '../explain/request-report.ts'
import { explainRule, ruleNamed, ruleReport } from '../explain/rule-report.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { checkAccess } from '../http/pipeline.ts'
import { findRoute, questionOf } from '../http/question.ts'
import { needsToken } from '../http/route.ts'
import { isObject, type JsonObject } from '../json.ts'
import { INEXACT, inexactNumbers } from '../json-number.ts'
import { accessSentence } from '../openapi/sentences.ts'
import { asSystem } from '../plugin/as-system.ts'
import { providerNamed } from '../plugin/provider-named.ts'
import { type Execution, executionOf } from '../run/execution.ts'
import { isBegun, showDiagnostics } from './application.ts'
import { type ExitCode, type Invocation, lineOf } from './command.ts'
import { sourceReport } from './flatten.ts'

async function actorNamed(name: string | undefined, { composition }: App, call: Execution): Promise<Actor> {
  if (name === undefined) return ANONYMOUS
  const { identify } = composition
  if (identify === undefined) throw new Error('No plugin of this application knows people by name: leave --as out.')
  const actor = await identify.value(pluginContext(call, identify.options), name)
  if (actor === null) throw new Error(`There is nobody called ${name}.`)
  return actor
}

async function reportRequest({ positionals, options }: Chosen, app: App): Promise<string> {
  const { foundation } = app
  const found = findRoute(positionals[0] ?? '', app)
  const call = { requestId: 'explain', afterCommit: () => undefined }
  const name = typeof options.as === 'string' ? options.as : undefined
  const actor = await actorNamed(name, app, executionOf(foundation, { ...call, actor: ANONYMOUS }))
  const { route, pattern } = found
  const caller = actor.kind === 'anonymous' ? 'nobody who is signed in' : `${name}, ${actor.role ?? 'without a role'}`
  const head = [`${route.method} ${pattern}: ${route.summary}`, `  asked by ${caller}`]
  const question = questionOf(found, actor)
  if (question === undefined) return [...head, ...routeLines(route, actor)].join('\n')
  const around = executionOf(foundation, { ...call, actor })
  const field = typeof options.field === 'string' ? await explainField(around, question, options.field) : undefined
  const plan = { title: 'plan', findings: planFindings(around, question, bodyOf(options.set)) }
  const { outcome, sections } = requestReport(await explainRequest(around, question))
  const report = render({ head, sections: [plan, ...sections], ...(outcome === undefined ? {} : { outcome }) })
  return field === undefined ? report : `${report}\n${render(fieldReport(field))}`
}

/** What is known of a request that a plugin answers: whether it comes to the plugin. */
function routeLines(route: BoundRoute, actor: Actor): readonly string[] {
  const who = accessSentence(route)
  try {
    checkAccess({ route, needsToken: needsToken(route) }, actor)
    return [`  access: allowed. ${who}`, `  a route of the plugin ${route.plugin}, which judges the request itself`]
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [`  access: refused, ${error.status}: ${error.message}. ${who}`]
  }
}

async function reportRule({ options }: Chosen, { catalog, foundation }: App): Promise<string> {
  const { resource, rule } = ruleNamed(String(options.rule), catalog)
  if (options.record === undefined) throw new Error('Say which record is meant: --record 7.')
  const body = bodyOf(options.set)
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'explain', afterCommit: () => undefined })
  try {
    return render(ruleReport(rule, body, await explainRule(call, resource, rule, String(options.record), body)))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const sentences = Object.values(error.params.errors ?? {}).flat()
    throw new Error([error.message, ...sentences].join('; '), { cause: error })
  }
}

async function reportAutomation({ options }: Chosen, app: App): Promise<string> {
  return render(await automationReport(app, String(options.automation), String(options.record)))
}

async function reportListener({ options }: Chosen, app: App): Promise<string> {
  return render(await listenerReport(app, String(options.listener), String(options.record ?? '')))
}

/** What would come of claims that a provider says of somebody. */
async function reportSignIn({ options }: Chosen, app: App): Promise<string> {
  const name = String(options['sign-in'])
  const { plugin, value } = providerNamed(app.composition, name)
  if (typeof options.claims !== 'string')
    throw new Error('Say what the provider says of somebody: --claims claims.json.')
  const claims = await claimsIn(options.claims)
  const lines = await asSystem(app, plugin, (context) => value.explain(context, name, claims))
  return lines.join('\n')
}

async function claimsIn(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${fileReason(error)}`)
  })
  let claims: unknown
  try {
    claims = JSON.parse(text)
  } catch {
    // Told below.
  }
  if (isObject(claims)) return claims
  throw new Error(`${file} holds no claims: write an object of JSON, such as {"sub": "7", "groups": ["admins"]}.`)
}

/** The body that --set says; throws what is wrong with it. */
function bodyOf(set: Chosen['options'][string]): JsonObject | undefined {
  if (set === undefined) return undefined
  const text = String(set)
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

/** What a command line chose to have explained. */
type Chosen = Pick<Invocation, 'options' | 'positionals'>

/** The report that a command line asks for, as text; throws the sentence that says why there is none. */
export function report(chosen: Chosen, app: App): Promise<string> {
  const { options } = chosen
  if (options.automation !== undefined) return reportAutomation(chosen, app)
  if (options.listener !== undefined) return reportListener(chosen, app)
  if (options['sign-in'] !== undefined) return reportSignIn(chosen, app)
  return options.rule === undefined ? reportRequest(chosen, app) : reportRule(chosen, app)
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { settings, log, say, complain, commands, options, positionals } = invocation
  if (typeof options.source === 'string') {
    try {
      say(await sourceReport(options.source, invocation))
      return 0
    } catch (error) {
      complain(sentenceOf(error))
      return 1
    }
  }
  const isNamed = ['automation', 'listener', 'rule', 'sign-in'].some((option) => options[option] !== undefined)
  if (!isNamed && positionals.length === 0) {
    const line = commands.filter(({ name }) => name === 'explain').map(lineOf)
    complain(
      `plinth explain needs a request, or one of --automation, --listener, --rule and --sign-in. Use: ${line.join('')}`,
    )
    return 2
  }
  if (!isBegun(invocation)) return 1
  try {
    const created = await createEngine({ settings, log, begin: false, joins: true })
    showDiagnostics(created, invocation)
    const engine = created.value
    if (engine === undefined) return 1
    try {
      say(await report(invocation, engine.app))
      return 0
    } finally {
      await engine.close()
    }
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}
