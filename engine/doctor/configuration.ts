/** Examines the secret of the application and the proxy in front of it ⇄. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sentenceOf } from '../error.ts'
import { checkSecret } from '../secret.ts'
import { type Settings, VARIABLES } from '../settings.ts'
import { nearest } from '../text/nearest.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** The modes of a file that let others read it. */
const OTHERS = 0o077

export async function lookAtSecret(settings: Settings): Promise<readonly Finding[]> {
  const { appSecrets, dataDir, production } = settings
  if (appSecrets.length > 0) {
    const more = appSecrets.length === 1 ? '' : `, and ${appSecrets.length - 1} before it still count`
    return [ok(`APP_SECRET is set${more}`)]
  }
  const file = join(dataDir, 'secret')
  if (!existsSync(file)) {
    const made = 'APP_SECRET is not set: the first start makes a secret and keeps it in DATA_DIR'
    return [
      production ? warning(made, 'set APP_SECRET, the same on every instance: openssl rand -base64 48') : ok(made),
    ]
  }
  try {
    await checkSecret(settings)
  } catch (error) {
    return [problem(sentenceOf(error), 'see above; without the right secret everybody signs in again')]
  }
  const { mode } = await stat(file)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    return [problem(`others can read ${file}`, `chmod 600 ${file}`)]
  const kept = `the secret is kept in ${file}`
  return [
    production
      ? warning(`${kept}: another instance has another one`, 'set APP_SECRET, the same on every instance')
      : ok(kept),
  ]
}

/** Variables that no part of the program reads and that are written nearly as one of its own. */
export function lookAtNames({ env }: Pick<Settings, 'env'>): readonly Finding[] {
  const known = Object.keys(VARIABLES)
  const set = Object.keys(env).filter((name) => name.includes('_') && (env[name] ?? '') !== '' && !known.includes(name))
  return set.flatMap((name) => {
    const near = nearest(name, known)
    // Other programs have variables of their own, as MYSQL_DATABASE_URL.
    if (near === undefined || Math.abs(near.length - name.length) > 1 || (env[near] ?? '') !== '') return []
    return [
      warning(
        `nothing reads the environment variable ${name}, and ${near} is not set`,
        `write ${near}, if that is meant`,
      ),
    ]
  })
}

/** Whether an address is one of this machine. */
function isHere(url: URL): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(url.hostname)
}

export function lookAtProxy({ baseUrl, trustProxy, production, metricsToken, env }: Settings): readonly Finding[] {
  const url = new URL(baseUrl)
  const found: Finding[] = []
  if (production && (env.BASE_URL ?? '') === '')
    found.push(problem(`BASE_URL is not set: links in mails lead to ${baseUrl}`, 'set BASE_URL to the public address'))
  else if (production && url.protocol === 'http:' && !isHere(url))
    found.push(
      warning('BASE_URL is http: passwords and tokens travel in the open', 'terminate TLS in front, and use https'),
    )
  if (url.protocol === 'https:' && trustProxy === 0)
    found.push(
      problem(
        'BASE_URL is https, so there is a proxy in front, and TRUST_PROXY is 0: all requests count as those of one address',
        'set TRUST_PROXY to the number of proxies',
      ),
    )
  if ((trustProxy > 0 || !isHere(url)) && metricsToken === undefined && production)
    found.push(
      warning('nobody can read /metrics: METRICS_TOKEN is not set', 'set METRICS_TOKEN, if it is to be watched'),
    )
  if (found.length > 0) return found
  const behind = trustProxy === 0 ? 'no proxy' : trustProxy === 1 ? 'one proxy' : `${trustProxy} proxies`
  return [ok(`served as ${baseUrl}, behind ${behind}`)]
}
