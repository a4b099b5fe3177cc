/** Settings of the AI: an administrator's choices, else the environment, else the defaults. ⇄ */
import {
  ApiError,
  type Database,
  invalid,
  type Json,
  type JsonObject,
  memo,
  type PluginContext,
  type Transaction,
} from '../../../engine/index.ts'
import { seal, unseal } from '../../keys/seal.ts'

/** What the plugin reads of the environment, for the documents. */
export const VARIABLES = {
  AI_BASE_URL: { otherwise: 'the local engine', meaning: 'an OpenAI-compatible server' },
  AI_API_KEY: { meaning: 'the key of that server' },
  AI_MODEL: { otherwise: 'gpt-4o-mini', meaning: 'the model to ask' },
  AI_TIMEOUT_MS: { otherwise: 'the option `timeout_ms`', meaning: 'how long the server may take, in milliseconds' },
}

export interface AiSettings {
  readonly enabled: boolean
  readonly provider: 'local' | 'openai'
  readonly model: string
  readonly base_url: string
  readonly temperature: number
  readonly max_tokens: number
  readonly auto_classify: boolean
  readonly confidence_threshold: number
  readonly max_suggestions: number
  readonly sentiment_enabled: boolean
  readonly kb_max_suggestions: number
}

type Reading = Pick<PluginContext, 'catalog' | 'connection' | 'database' | 'settings'>

interface Stored {
  readonly chosen: JsonObject
  readonly sealed: string | null
}

const ROW = 'desk'
/** How long a process may use settings that it read, in milliseconds, for questions at every new ticket. */
const KEPT_MS = 1_000
const lastRead = memo((_: Database): { known?: { readonly at: number; readonly stored: Stored } | undefined } => ({}))

async function read(context: Reading): Promise<Stored> {
  const { catalog, database } = context
  const { table } = catalog.resources.get('ai_settings')!
  const [row] = await context.connection.run({ text: `select chosen::text, api_key from "${table}" where name = $1` }, [
    ROW,
  ])
  const stored = { chosen: JSON.parse(row?.[0] ?? '{}') as JsonObject, sealed: row?.[1] ?? null }
  lastRead(database).known = { at: performance.now(), stored }
  return stored
}

function defaultsOf({ settings: { env } }: Reading): AiSettings {
  const served = [env.AI_BASE_URL, env.AI_API_KEY].some((value) => value !== undefined && value !== '')
  return {
    enabled: true,
    provider: served ? 'openai' : 'local',
    model: env.AI_MODEL || 'gpt-4o-mini',
    base_url: env.AI_BASE_URL || 'https://api.openai.com/v1',
    temperature: 0,
    max_tokens: 1000,
    auto_classify: false,
    confidence_threshold: 0.8,
    max_suggestions: 3,
    sentiment_enabled: true,
    kb_max_suggestions: 5,
  }
}

function effective(context: Reading, { chosen }: Stored): AiSettings {
  return { ...defaultsOf(context), ...chosen }
}

/** The present settings. */
export async function aiSettings(context: Reading): Promise<AiSettings> {
  return effective(context, await read(context))
}

/** The same, up to a second old: for questions at every ticket. */
export async function recentSettings(context: Reading): Promise<AiSettings> {
  const { known } = lastRead(context.database)
  if (known !== undefined && performance.now() - known.at < KEPT_MS) return effective(context, known.stored)
  return aiSettings(context)
}

/** The settings in answers: everything but the key. */
export async function shownSettings(context: Reading): Promise<JsonObject> {
  const stored = await read(context)
  return { ...effective(context, stored), api_key_set: (await keyOf(context, stored)) !== undefined }
}

/** The key for the server in use; the environment's key goes to the environment's server only. */
export async function apiKey(context: Reading): Promise<string | undefined> {
  return keyOf(context, await read(context))
}

async function keyOf(context: Reading, { chosen, sealed }: Stored): Promise<string | undefined> {
  if (sealed !== null) return unseal(context.settings, 'ai', sealed)
  const own = defaultsOf(context).base_url
  const elsewhere = typeof chosen.base_url === 'string' && originOf(chosen.base_url) !== originOf(own)
  return elsewhere ? undefined : context.settings.env.AI_API_KEY || undefined
}

/**
 * Changes the settings in the body, in the open transaction; null restores the default. 422 when a stored key would
 * reach another server than the one it was given for.
 */
export async function changeSettings(
  context: Reading & { readonly transaction: Transaction },
  body: JsonObject,
): Promise<void> {
  const { catalog, settings, transaction } = context
  const fault = typeof body.base_url === 'string' ? faultOfServer(body.base_url) : undefined
  if (fault !== undefined) throw invalid({ base_url: [fault] })
  const { table } = catalog.resources.get('ai_settings')!
  // Simultaneous changes of different settings must not undo each other.
  await transaction.run({ text: `select pg_advisory_xact_lock(hashtext('plinth ai settings'))` }, [])
  const [row] = await transaction.run({ text: `select chosen::text, api_key from "${table}" where name = $1` }, [ROW])
  const before = { chosen: JSON.parse(row?.[0] ?? '{}') as JsonObject, sealed: row?.[1] ?? null }
  const { api_key: key, ...changes } = body
  const chosen: Record<string, Json> = { ...before.chosen }
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete chosen[name]
    else chosen[name] = value
  }
  const [from, to] = [before.chosen, chosen].map((one) =>
    originOf(effective(context, { chosen: one, sealed: null }).base_url),
  )
  if (from !== to && before.sealed !== null && key === undefined) {
    throw invalid({ api_key: ['Send the api_key again, or null, when base_url moves to another server'] })
  }
  const sealed = key === undefined ? before.sealed : key === null ? null : await seal(settings, 'ai', String(key))
  await transaction.run(
    {
      text: `insert into "${table}" (name, chosen, api_key) values ($1, $2::jsonb, $3)
        on conflict (name) do update set chosen = excluded.chosen, api_key = excluded.api_key, updated_at = now()`,
    },
    [ROW, JSON.stringify(chosen), sealed],
  )
}

/** Makes the next question read the settings again. */
export function forgetSettings({ database }: Pick<Reading, 'database'>): void {
  lastRead(database).known = undefined
}

/** The mistake in the address of a server: parts other than its path would be left out, or sent unnoticed. */
export function faultOfServer(url: string): string | undefined {
  if (!URL.canParse(url)) return 'The base url must be the address of a server'
  const { password, protocol, username } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The base url must begin with http:// or https://'
  // An empty query or fragment is invisible in the parsed address.
  if (/[?#]/.test(url)) return 'The base url may have no ? and no #: it is what comes before /chat/completions'
  return username === '' && password === '' ? undefined : 'The base url may hold no name and no password'
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

/** 409 while the AI, or a part of it, is switched off. */
export function needs(settings: AiSettings, part: 'enabled' | 'sentiment_enabled'): void {
  if (!settings.enabled) throw new ApiError('conflict', { message: 'The AI is switched off' })
  if (!settings[part]) throw new ApiError('conflict', { message: 'Sentiment analysis is switched off' })
}
