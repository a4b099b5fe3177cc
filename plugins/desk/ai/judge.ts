/** Judges a ticket by the configured engine: a server, or the local one, which also answers where a server fails. ⇄ */
import type { JsonSchema, PluginContext } from '../../../engine/index.ts'
import { byEngine } from './by-engine.ts'
import { type Choices, choicesOf } from './choices.ts'
import { judgeLocally } from './judge-local.ts'
import type { Judgement, Verdict, Verdicts } from './judgement.ts'
import { fourDigits } from './judgement.ts'
import { learned } from './learner.ts'
import { TARGETS, type Target } from './model.ts'
import { ask } from './server.ts'
import type { AiSettings } from './settings.ts'

/** The text to judge: only the customer's own words. */
export interface Letter {
  readonly subject: string
  readonly details: string
}

interface Reply {
  readonly priority_id: number | null
  readonly category_id: number | null
  readonly department_id: number | null
  readonly type_id: number | null
  readonly confidence: number
  readonly confidences?: Readonly<Partial<Record<Target, number>>>
  readonly reasoning: string
}

const DETAILS = 6_000
const SHARE = { type: 'number', minimum: 0, maximum: 1 }

/** The judgement of one ticket. */
export async function judge(context: PluginContext, settings: AiSettings, letter: Letter): Promise<Judgement> {
  const choices = await choicesOf(context)
  const judgement = await byEngine(context, settings, {
    locally: async () => judgeLocally(await learned(context), choices, `${letter.subject}\n${letter.details}`),
    byServer: () => judgeByServer(context, settings, choices, letter),
  })
  const { failure, reasoning } = judgement
  if (failure === undefined) return judgement
  return { ...judgement, reasoning: `The local engine answered: ${failure}.\n${reasoning}` }
}

async function judgeByServer(
  context: PluginContext,
  settings: AiSettings,
  choices: Choices,
  { details, subject }: Letter,
): Promise<Verdicts> {
  const offered = Object.fromEntries(
    TARGETS.map((target) => [target, choices[target].map(({ description, id, name }) => ({ id, name, description }))]),
  )
  const reply = await ask<Reply>(context, settings, {
    instructions:
      'Classify the ticket: choose an id of each list in "choices", or null where none fits. ' +
      '"confidences" holds for each list (priority, category, department, type) the chance, 0 to 1, that the chosen id is ' +
      'right, and "confidence" that all of them are; "reasoning" is one or two plain sentences.',
    data: { choices: offered, ticket: { subject, details: details.slice(0, DETAILS) } },
    schema: replySchema(choices),
  })
  const verdicts = TARGETS.map((target): Verdict => {
    const id = reply[`${target}_id`]
    const name = choices[target].find((choice) => choice.id === id)?.name
    const reason = name === undefined ? `${target}: none fits` : `${target} ${name}`
    // All suggestions together are never likelier to be right than one of them.
    const confidence = id === null ? 0 : fourDigits(reply.confidences?.[target] ?? reply.confidence)
    return { target, id, confidence, reason }
  })
  const confidence = verdicts.every(({ id }) => id === null) ? 0 : fourDigits(reply.confidence)
  return { verdicts, confidence, reasoning: reply.reasoning }
}

/** Only offered ids fit: a server that invents one, or was talked into it, is not believed. */
function replySchema(choices: Choices): JsonSchema {
  const ids = TARGETS.map(
    (target) => [`${target}_id`, { enum: [...choices[target].map(({ id }) => id), null] }] as const,
  )
  return {
    type: 'object',
    additionalProperties: false,
    required: [...ids.map(([name]) => name), 'confidence', 'reasoning'],
    properties: {
      ...Object.fromEntries(ids),
      confidence: SHARE,
      confidences: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(TARGETS.map((target) => [target, SHARE])),
      },
      reasoning: { type: 'string', minLength: 1, maxLength: 2000 },
    },
  }
}
