/** The pages that a browser sees on its way: one that leads on, and one that says why somebody did not come in and what to do. */
import type { Reply, RouteContext } from '../../../engine/index.ts'
import { escaped, hashOf, ICON, rootOf, themeText } from '../../pages/page.ts'
import { authOptions } from '../options.ts'
import type { Provider } from './options.ts'

type Shown = Pick<RouteContext, 'catalog' | 'options' | 'requestId' | 'settings'>

function page(
  context: Shown,
  title: string,
  head: string,
  body: string,
  status: number,
  cookies: readonly string[],
): Reply {
  const name = escaped(context.catalog.name)
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · ${name}</title>${head}
<link rel="icon" href="${ICON}"><style>${themeText()}</style></head><body>
<header><h1>${name}</h1></header>
<main class="card form"><h2>${title}</h2>
${body}
</main></body></html>
`
  return {
    status,
    raw: { type: 'text/html; charset=utf-8', body: html },
    headers: {
      'Content-Security-Policy': `default-src 'none'; style-src ${hashOf(themeText())}; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...(status === 503 && { 'Retry-After': '10' }),
    },
    ...(cookies.length > 0 && { cookies }),
  }
}

/**
 * Leads on to a path of this application. A redirect would not do: the request after it counts as one of the provider's
 * page, and no cookie counts in such a request.
 */
export function leadOn(context: Shown, path: string, cookies: readonly string[]): Reply {
  const to = escaped(path)
  const head = `<meta http-equiv="refresh" content="0;url=${to}">`
  return page(context, 'Signed in', head, `<p class="notice good"><a href="${to}">Go on</a></p>`, 200, cookies)
}

/** What went wrong, in a sentence, and what to do about it. */
export interface Trouble {
  readonly status: number
  readonly title: string
  readonly sentence: string
  readonly advice: string
}

/** Says what went wrong and what to do, with the id by which the log has it. */
export function troublePage(
  context: Shown,
  provider: Pick<Provider, 'name'> | undefined,
  { advice, sentence, status, title }: Trouble,
  cookies: readonly string[] = [],
): Reply {
  const root = rootOf(context)
  const { signInPage } = authOptions(context.options)
  const again =
    provider === undefined
      ? ''
      : `<a href="${escaped(`${root}${context.catalog.prefix}/auth/providers/${provider.name}`)}">Try again</a>`
  const other = signInPage === undefined ? '' : `<a href="${escaped(root + signInPage)}">Sign in another way</a>`
  const body = `<p class="notice bad" role="alert">${escaped(sentence)}</p>
<p>${escaped(advice)}</p>
<p class="notice">For those who run ${escaped(context.catalog.name)}, the log has this under ${escaped(context.requestId)}.</p>
<p class="links">${again}${other}</p>`
  return page(context, title, '', body, status, cookies)
}
