/** The CSRF token of the session, which the server leaves in a cookie that scripts may read. */
export function csrfToken(cookies: string = document.cookie): string {
  for (const part of cookies.split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() === 'csrf_token') return decodeURIComponent(part.slice(at + 1).trim());
  }
  return '';
}
