/**
 * What is known of providers by name, as data. Sources are their own documents: OpenID Connect of Google Identity, "ID
 * token claims" of Microsoft Entra, "Authorizing OAuth apps" of GitHub, and the discovery documents of the others.
 */

/** What a preset fills in where the YAML says nothing. */
export interface Preset {
  readonly label: string
  /** With `{tenant}` where the option `tenant` belongs; undefined: each installation has its own. */
  readonly issuer?: string
  readonly scopes?: readonly string[]
  /** Types of claims that are not standard. */
  readonly claims?: Readonly<Record<string, string>>
  /** Claims that say, besides `email_verified`, that the provider knows the address to belong to the person. */
  readonly verifiedBy?: readonly string[]
  /** What the way there asks for, so that the server can be asked again later; `offline_access` if absent. */
  readonly lasting?: { readonly scopes: readonly string[]; readonly parameters: Readonly<Record<string, string>> }
  /** The server speaks OAuth 2 alone, with endpoints of its own. */
  readonly adapter?: 'github'
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  google: {
    label: 'Google',
    issuer: 'https://accounts.google.com',
    lasting: { scopes: [], parameters: { access_type: 'offline', prompt: 'consent' } },
  },
  // `email` of Entra is whatever an administrator of any tenant wrote; `xms_edov` says that its domain was proved.
  microsoft: {
    label: 'Microsoft',
    issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    claims: { xms_edov: 'boolean' },
    verifiedBy: ['xms_edov'],
  },
  github: {
    label: 'GitHub',
    issuer: 'https://github.com',
    scopes: ['read:user', 'user:email'],
    adapter: 'github',
  },
  gitlab: { label: 'GitLab', issuer: 'https://gitlab.com', claims: { groups_direct: 'list' } },
  // Its tokens for offline use outlive the session, whose end is what matters.
  keycloak: { label: 'Keycloak', lasting: { scopes: [], parameters: {} } },
  authentik: { label: 'authentik' },
  okta: { label: 'Okta', scopes: ['groups'] },
}
