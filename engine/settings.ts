/** The settings of a process: the environment, read once, checked, and frozen. */
import { deflateRawSync } from 'node:zlib'
import type { Collected, Diagnostic } from './text/diagnostic.ts'

/** The settings of one process; durations in milliseconds, sizes in bytes. */
export interface Settings {
  readonly port: number
  readonly host: string
  readonly baseUrl: string
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** Connections that one instance may open; undefined: a share of what the server allows. */
  readonly databasePool: number | undefined
  readonly databaseReplicaUrl: string | undefined
  readonly redisUrl: string | undefined
  /** The first signs, all verify; empty when APP_SECRET is not set. */
  readonly appSecrets: readonly string[]
  readonly rateLimit: number
  readonly authRateLimit: number
  readonly sessionRateLimit: number
  readonly trustProxy: number
  readonly corsOrigins: readonly string[]
  readonly resourcesDir: string
  readonly pluginsDir: string
  readonly logLevel: string
  readonly production: boolean
  /** Whether the files are followed while they are served: `start --watch`. */
  readonly watched?: true
  readonly metricsToken: string | undefined
  /** How long requests are served after the process was asked to stop, in milliseconds. */
  readonly shutdownDelay: number
  /** Everything of the environment, for plugins' own variables (SMTP_URL, AI_…, S3_…). */
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Described {
  readonly meaning: string
  /** The value if it is not set, in words; absent: none. */
  readonly otherwise?: string
}

/** Every variable that the engine itself reads, with its meaning; plugins read their own. */
export const VARIABLES = {
  PORT: { otherwise: '3000', meaning: 'the port to listen on' },
  HOST: { otherwise: '127.0.0.1, in production 0.0.0.0', meaning: 'the address to listen on' },
  BASE_URL: { otherwise: 'made of HOST and PORT', meaning: 'the public address, used in links and mails' },
  NODE_ENV: { meaning: '`production` listens on every interface and logs JSON lines' },
  DATA_DIR: {
    otherwise: '`./data`',
    meaning:
      'the folder of the embedded database, the generated secret and unsent mails; it is closed to other users at every start, and refused if it cannot be',
  },
  DATABASE_URL: {
    otherwise: 'the embedded database',
    meaning: 'PostgreSQL 15 or later; in its password write `@`, `/`, `?` and `#` as `%40`, `%2F`, `%3F` and `%23`',
  },
  DATABASE_POOL: {
    otherwise: 'a fifth of what the server allows, 4 to 20',
    meaning:
      'connections to PostgreSQL for one instance, at least 2; a server opens one more, by which others see that it is alive',
  },
  DATABASE_REPLICA_URL: {
    meaning:
      'a PostgreSQL replica for the statistics of dashboards; the database itself answers while the replica is out or lags behind a migration',
  },
  REDIS_URL: { otherwise: 'in the process', meaning: 'rate limits and cache invalidation shared by several instances' },
  APP_SECRET: {
    otherwise: 'made once and kept in DATA_DIR',
    meaning:
      'the key that signs tokens, at least 32 bytes without a repeated word (`openssl rand -base64 48`); to rotate it, name several with commas: the first one signs',
  },
  RATE_LIMIT: { otherwise: '60', meaning: 'requests a minute for each user or address' },
  AUTH_RATE_LIMIT: { otherwise: '5', meaning: 'requests a minute for each address on the routes that sign in' },
  RATE_LIMIT_SESSION: {
    otherwise: '600',
    meaning:
      'requests a minute for each user whose browser is signed in by a cookie; those by tokens count in RATE_LIMIT',
  },
  TRUST_PROXY: { otherwise: '0', meaning: 'the number of proxies in front' },
  CORS_ORIGIN: { otherwise: 'off', meaning: 'allowed origins, separated by commas' },
  RESOURCES_DIR: {
    otherwise: '`./resources`',
    meaning: 'the folder of the YAML; a symbolic link that leads out of it is a mistake',
  },
  PLUGINS_DIR: { otherwise: '`./plugins`', meaning: "the folder of the application's plugins" },
  LOG_LEVEL: { otherwise: '`info`', meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`' },
  METRICS_TOKEN: {
    otherwise: 'this machine only',
    meaning:
      'the bearer token for `/metrics` from elsewhere; behind a proxy (TRUST_PROXY above 0, or a BASE_URL that is not this machine) it is needed on this machine too',
  },
  SHUTDOWN_DELAY: {
    otherwise: '1 with REDIS_URL, else 0',
    meaning:
      'seconds for which requests are served after SIGTERM while `/readyz` is 503; longer than the proxy needs to notice',
  },
} as const satisfies Readonly<Record<string, Described>>

type Variable = keyof typeof VARIABLES

/** The levels of pino, least to most silent. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Shorter secrets can be guessed: HS256 needs as many bits as its hash. */
const SECRET_BYTES = 32
/** The least compressed size of a random secret of that length, even of digits alone; a repeated word is smaller. */
const SECRET_COMPRESSED = 25

type Parsed<T> = { readonly value: T } | { readonly allowed: string }
type Parse<T> = (text: string) => Parsed<T>

const text: Parse<string> = (value) => ({ value })

function integer(min: number, max: number): Parse<number> {
  return (value) => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
    return number >= min && number <= max ? { value: number } : { allowed: `a whole number from ${min} to ${max}` }
  }
}

/** Seconds, with up to three digits behind the point. */
function seconds(max: number): Parse<number> {
  return (value) => {
    const number = /^\d{1,3}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN
    return number <= max ? { value: number } : { allowed: `a number of seconds from 0 to ${max}` }
  }
}

function oneOf(words: readonly string[]): Parse<string> {
  return (value) => (words.includes(value) ? { value } : { allowed: `one of ${words.join(', ')}` })
}

function url(protocols: readonly string[]): Parse<string> {
  const allowed = `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`
  return (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (parsed === undefined || !protocols.includes(parsed.protocol)) return { allowed }
    return isCutInPassword(parsed) ? { allowed: `${allowed}, ${WRITTEN_AS_CODES}` } : { value }
  }
}

/** The message about an address whose password has signs with another meaning. */
export const WRITTEN_AS_CODES = 'with "@", "/", "?" and "#" in its password written as %40, %2F, %3F and %23'

/**
 * Whether a password ends too early because a sign in it separates parts of the address: the rest would be shown as
 * host and path.
 */
export function isCutInPassword({ username, pathname, search, hash }: URL): boolean {
  return `${pathname}${hash}`.includes('@') || (username === '' && search.includes('@'))
}

function items(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

const secrets: Parse<readonly string[]> = (value) =>
  items(value).every(isSecret)
    ? { value: items(value) }
    : { allowed: `secrets of at least ${SECRET_BYTES} characters that do not repeat a word, separated by commas` }

function isSecret(text: string): boolean {
  const bytes = Buffer.from(text)
  return bytes.length >= SECRET_BYTES && deflateRawSync(bytes, { level: 9 }).length >= SECRET_COMPRESSED
}

const origins: Parse<readonly string[]> = (value) =>
  items(value).every(
    (item) => item === '*' || (/^https?:\/\//.test(item) && URL.canParse(item) && new URL(item).origin === item),
  )
    ? { value: items(value) }
    : { allowed: 'origins such as https://desk.example.com without a path, separated by commas, or *' }

const publicUrl: Parse<string> = (value) => {
  const parsed = url(['http:', 'https:'])(value)
  return 'value' in parsed ? { value: parsed.value.replace(/\/+$/, '') } : parsed
}

/** An address for a browser: a host that means every interface becomes localhost. */
function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * The settings in an environment; a variable that is empty counts as not set.
 * Every bad value is one diagnostic with the variable's name and what is allowed, never with the value,
 * which may be a secret; then there are no settings.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Collected<Settings> {
  const diagnostics: Diagnostic[] = []
  const complain = (message: string, hint: string) => diagnostics.push({ code: 'bad_setting', message, hint })

  function read<T, F>(variable: Variable, parse: Parse<T>, fallback: F): T | F {
    const written = env[variable]?.trim()
    if (written === undefined || written === '') return fallback
    const parsed = parse(written)
    if ('value' in parsed) return parsed.value
    complain(`The environment variable ${variable} must be ${parsed.allowed}.`, `Change ${variable}, or leave it out.`)
    return fallback
  }

  const production = read('NODE_ENV', text, '') === 'production'
  const port = read('PORT', integer(0, 65_535), 3000)
  const host = read('HOST', text, production ? '0.0.0.0' : '127.0.0.1')
  const postgresql = url(['postgres:', 'postgresql:'])
  const redisUrl = read('REDIS_URL', url(['redis:', 'rediss:']), undefined)
  const settings: Settings = {
    port,
    host,
    baseUrl: read('BASE_URL', publicUrl, addressOf(host, port)),
    dataDir: read('DATA_DIR', text, './data'),
    databaseUrl: read('DATABASE_URL', postgresql, undefined),
    databasePool: read('DATABASE_POOL', integer(2, 1_000), undefined),
    databaseReplicaUrl: read('DATABASE_REPLICA_URL', postgresql, undefined),
    redisUrl,
    appSecrets: Object.freeze(read('APP_SECRET', secrets, [])),
    rateLimit: read('RATE_LIMIT', integer(1, 1_000_000_000), 60),
    authRateLimit: read('AUTH_RATE_LIMIT', integer(1, 1_000_000_000), 5),
    sessionRateLimit: read('RATE_LIMIT_SESSION', integer(1, 1_000_000_000), 600),
    trustProxy: read('TRUST_PROXY', integer(0, 10), 0),
    corsOrigins: Object.freeze(read('CORS_ORIGIN', origins, [])),
    resourcesDir: read('RESOURCES_DIR', text, './resources'),
    pluginsDir: read('PLUGINS_DIR', text, './plugins'),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    production,
    metricsToken: read('METRICS_TOKEN', text, undefined),
    // Several instances share a Redis, and a proxy in front of them needs a moment to use the others.
    shutdownDelay: 1_000 * read('SHUTDOWN_DELAY', seconds(300), redisUrl === undefined ? 0 : 1),
    env: Object.freeze({ ...env }),
  }
  if (settings.databaseReplicaUrl !== undefined && settings.databaseUrl === undefined) {
    complain(
      'DATABASE_REPLICA_URL is set, but DATABASE_URL is not.',
      'Set DATABASE_URL to the database that is replicated.',
    )
  }
  return diagnostics.length === 0 ? { value: Object.freeze(settings), diagnostics } : { diagnostics }
}
