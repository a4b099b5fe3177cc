/**
 * Secrets of webhooks ⇄: sealed in their row, valid for another day after a rotation; and signatures, HMAC-SHA256 over
 * `id.timestamp.body` as Standard Webhooks say (https://www.standardwebhooks.com).
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { PluginContext, Runner } from '../../engine/index.ts'
import { seal, unseal } from '../keys/seal.ts'
import { tablesOf } from './tables.ts'

/** How long the previous secret signs too, so that receivers can change theirs at any time of a day. */
const BEFORE_FOR = '1 day'

/** A new secret and its stored form. */
export async function newSecret({
  settings,
}: Pick<PluginContext, 'settings'>): Promise<{ secret: string; sealed: string }> {
  const secret = makeSecret()
  return { secret, sealed: await seal(settings, 'webhook', secret) }
}

/** The secrets that sign now, the newest first; undefined where APP_SECRET did not seal them. */
export async function secretsOf(
  { settings }: Pick<PluginContext, 'settings'>,
  sealed: readonly (string | null)[],
): Promise<readonly string[] | undefined> {
  const texts = sealed.filter((one) => one !== null)
  const opened = await Promise.all(texts.map((one) => unseal(settings, 'webhook', one)))
  const known = opened.filter((one) => one !== undefined)
  return opened[0] === undefined ? undefined : known
}

/** Replaces the present secret, which signs for another day. */
export async function rotate(
  context: Pick<PluginContext, 'catalog'>,
  runner: Runner,
  id: number,
  sealed: string,
): Promise<void> {
  const { webhooks } = tablesOf(context)
  const text = `update ${webhooks} set previous_sealed = sealed, previous_until = now() + interval '${BEFORE_FOR}', sealed = $2
    where id = $1::int`
  await runner.run({ text }, [id, sealed])
}

const PREFIX = 'whsec_'
/** Standard Webhooks ask for 24 to 64 bytes. */
const SECRET_BYTES = 32

/** A new secret: `whsec_` and 32 random bytes as base64. */
function makeSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers of one message; during a rotation there is a signature by each secret. */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
