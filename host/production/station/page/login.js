// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
'use strict';

document.getElementById('login').addEventListener('submit', async (event) => {
    event.preventDefault();
    const token = document.getElementById('token'), message = document.getElementById('message');
    message.textContent = '';
    try {
        const answer = await fetch('/api/login', {
            method: 'POST',
            headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({token: token.value.trim()}),
        });
        if (answer.ok) {
            location.replace('/');
            return;
        }
        message.textContent = (await answer.json()).error;
    } catch (error) {
        message.textContent = 'The station does not answer; start it again';
    }
    token.select();
});
