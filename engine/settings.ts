/** How one process is configured: the environment read once, checked, and frozen. */

/** The settings of running.md, typed; durations in milliseconds, sizes in bytes. */
export interface Settings {
  readonly port: number
  readonly host: string
  readonly baseUrl: string
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly databaseReplicaUrl: string | undefined
  readonly redisUrl: string | undefined
  /** The first signs, all verify; empty when APP_SECRET is not set. */
  readonly appSecrets: readonly string[]
  readonly rateLimit: number
  readonly authRateLimit: number
  readonly trustProxy: number
  readonly corsOrigins: readonly string[]
  readonly resourcesDir: string
  readonly pluginsDir: string
  readonly logLevel: string
  readonly production: boolean
  readonly metricsToken: string | undefined
  /** Everything of the environment, for plugins' own variables (SMTP_URL, AI_…, S3_…). */
  readonly env: Readonly<Record<string, string | undefined>>
}
