/* transport_http.js - requests to the program that served this page. */
import { Failure } from './api.js';

const TOKEN_KEY = 'rastrum-token';
let token = '';

/* Take the token out of the address and keep it for this tab: it must not be in what is copied. */
function take_token() {
    const found = /(?:^#|&)t=([0-9a-f]{32})(?:&|$)/.exec(location.hash);
    if (found) {
        token = found[1];
        sessionStorage.setItem(TOKEN_KEY, token);
        const rest = location.hash.replace(/^#/, '').split('&')
            .filter((part) => part !== `t=${token}`).join('&');
        history.replaceState(null, '', rest ? `#${rest}` : location.pathname);
        return;
    }
    token = sessionStorage.getItem(TOKEN_KEY) || '';
}

async function send(path, body, post) {
    let answer;
    try {
        answer = await fetch(`/v1/${path}`, {
            method: post ? 'POST' : 'GET',
            headers: { 'X-Rastrum-Token': token },
            body: post ? body : undefined,
            cache: 'no-store', credentials: 'omit', redirect: 'error',
        });
    } catch {
        throw new Failure('rastrum view does not answer',
            { hint: 'it may have ended; start it again and open the address that it prints' });
    }
    const name = /filename="([^"]{1,255})"/.exec(answer.headers.get('Content-Disposition') || '');
    return { status: answer.status, type: answer.headers.get('Content-Type') || '',
             name: name ? name[1] : '', bytes: await answer.arrayBuffer() };
}

export default {
    name: 'http',
    start: take_token,
    send,
    /* add(files): only where the page itself reads files. */
    add: null,
};
