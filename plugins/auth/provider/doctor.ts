/** ⇄ What `plinth doctor` says of providers: whether each answers, its keys, its clock, how this application is known there, and the address to register. */
import type { Check, CheckContext, Finding, Settings } from '../../../engine/index.ts'
import { redirectOf } from './exchange.ts'
import { type Provider, providersIn, variablesOf } from './options.ts'
import { isLocal, serverOf } from './server.ts'

const APART_MS = 30_000

/** A check of the plugin. */
export const checkProviders: Check = async (context) => {
  const providers = [...providersIn(context.options).values()]
  const found = await Promise.all(providers.map((provider) => examined(context, provider)))
  return [...found.flat(), ...(await keptRoles(context))]
}

async function examined(context: CheckContext, provider: Provider): Promise<readonly Finding[]> {
  return [
    ...addressFindings(context, provider),
    credentials(context.settings, provider),
    ...(await answers(context, provider)),
  ]
}

function addressFindings({ catalog, settings }: CheckContext, provider: Provider): readonly Finding[] {
  const address = redirectOf({ catalog, settings }, provider)
  const url = new URL(address)
  if (url.protocol === 'https:' || isLocal(url))
    return [{ level: 'ok', message: `${provider.name}: the redirect address to register there is ${address}` }]
  return [
    {
      level: 'problem',
      message: `${provider.name}: nobody can come back to ${address}, because a session by cookie needs https`,
      advice: 'set BASE_URL to the public address, which begins with https',
    },
  ]
}

function credentials({ env }: Pick<Settings, 'env'>, provider: Provider): Finding {
  const { key, secret } = variablesOf(provider)
  const set = [key, secret].filter((name) => (env[name] ?? '') !== '')
  if (set.length === 1) return { level: 'ok', message: `${provider.name}: ${set[0]} is set` }
  return {
    level: 'warning',
    message: `${provider.name}: ${set.length === 0 ? `neither ${secret} nor ${key} is` : `${secret} and ${key} are both`} set`,
    advice:
      set.length === 0
        ? 'set one of them, unless the provider takes this application as a public client'
        : 'unset one of them: the key counts',
  }
}

async function answers({ now, settings }: CheckContext, provider: Provider): Promise<readonly Finding[]> {
  if (provider.adapter !== undefined) return []
  try {
    const { configuration, keyCount, date } = await serverOf({ settings, now }, provider)
    const found: Finding[] = [
      {
        level: 'ok',
        message: `${provider.name}: ${configuration.serverMetadata().issuer} answers, with ${keyCount} keys`,
      },
    ]
    const apart = date === undefined ? 0 : Math.round(Math.abs(date - now().getTime()) / 1000)
    if (apart * 1000 > APART_MS)
      found.push({
        level: 'problem',
        message: `${provider.name}: its clock differs by ${apart} seconds`,
        advice: 'set the clocks, as by NTP: tokens of another time are refused',
      })
    return found
  } catch (error) {
    return [
      {
        level: 'problem',
        message: `${provider.name}: its discovery document or keys cannot be read: ${reasonOf(error)}`,
        advice: 'compare the issuer in app.yaml with the one in the document, and look whether a proxy is in between',
      },
    ]
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error instanceof Error ? error.message : String(error)}${cause}`
}

/** Accounts that keep a role which their provider would take from them. */
async function keptRoles({ catalog, runner }: CheckContext): Promise<readonly Finding[]> {
  if (runner === undefined) return []
  const [identities, users] = ['identities', 'users'].map((name) => catalog.resources.get(name)!.table)
  const text = `select i.provider, u.email from "${identities}" i join "${users}" u on u.id = i.user_id where i.kept_role`
  const rows = await runner.run({ text }, [])
  return rows.map(([provider, email]) => ({
    level: 'warning' as const,
    message: `${provider}: ${email} keeps the highest role as the last active admin, although the mapping gives another`,
    advice: 'make somebody else admin',
  }))
}
