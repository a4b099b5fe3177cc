/** The secrets of a webhook ⇄: sealed in its row, the one before beside it for a day after a rotation. */
import type { PluginContext, Runner } from '../../engine/index.ts'
import { seal, unseal } from '../keys/seal.ts'
import { makeSecret } from './sign.ts'
import { tablesOf } from './tables.ts'

/** How long the secret before signs too, so that receivers change theirs at any moment of a day. */
const BEFORE_FOR = '1 day'

/** A new secret and what is stored of it. */
export async function newSecret({
  settings,
}: Pick<PluginContext, 'settings'>): Promise<{ secret: string; sealed: string }> {
  const secret = makeSecret()
  return { secret, sealed: await seal(settings, 'webhook', secret) }
}

/** The secrets that sign now, the newest first; undefined when APP_SECRET is not the one they were sealed with. */
export async function secretsOf(
  { settings }: Pick<PluginContext, 'settings'>,
  sealed: readonly (string | null)[],
): Promise<readonly string[] | undefined> {
  const texts = sealed.filter((one) => one !== null)
  const opened = await Promise.all(texts.map((one) => unseal(settings, 'webhook', one)))
  const known = opened.filter((one) => one !== undefined)
  return opened[0] === undefined ? undefined : known
}

/** Puts a new secret in the place of the present one, which signs beside it for a day. */
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
